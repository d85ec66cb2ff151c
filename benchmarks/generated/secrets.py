"""Made-up secrets in the formats that vendors publish, in the lines that they are usually found in."""

from __future__ import annotations

import random
import re
import string
from collections.abc import Iterator

from benchmarks.scoring import SEED

PER_KIND = 12

_W = string.ascii_letters + string.digits
ALPHABETS = {
    "w": _W,
    "l": string.ascii_lowercase + string.digits,
    "u": string.ascii_uppercase + string.digits,
    "h": "0123456789abcdef",
    "d": string.digits,
    "b": _W + "+/",
    "s": _W + "-_",
    "t": string.ascii_uppercase + "234567",
    "q": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
    "a": string.ascii_letters,
    "k": string.ascii_lowercase + "234567",
}

# What vendors publish about their formats: the name it is usually kept under, and <alphabet length> for each of its
# random parts. This table was written apart from the rules, so that a mistake in one of them shows.
FORMATS = """
aws-access-key AWS_ACCESS_KEY_ID AKIA<t16>
aws-temporary-key AWS_ACCESS_KEY_ID ASIA<t16>
aws-secret-key AWS_SECRET_ACCESS_KEY <b40>
google-api-key GOOGLE_API_KEY AIzaSy<s33>
google-client-secret GOOGLE_CLIENT_SECRET GOCSPX-<s28>
google-access-token GOOGLE_TOKEN ya29.a0<s200>
azure-app-secret AZURE_CLIENT_SECRET <w3>8Q~<s34>
azure-storage AZURE_STORAGE_KEY <b86>==
azure-devops AZURE_DEVOPS_EXT_PAT <k52>
azure-openai AZURE_OPENAI_API_KEY <h32>
github-classic GITHUB_TOKEN ghp_<w36>
github-oauth GITHUB_TOKEN gho_<w36>
github-user-to-server GITHUB_TOKEN ghu_<w36>
github-server-to-server GITHUB_TOKEN ghs_<w36>
github-refresh GITHUB_TOKEN ghr_<w36>
github-fine-grained GITHUB_TOKEN github_pat_<w22>_<w59>
gitlab-personal GITLAB_TOKEN glpat-<s20>
gitlab-deploy GITLAB_TOKEN gldt-<s20>
gitlab-runner RUNNER_TOKEN glrt-<s20>
gitlab-trigger TRIGGER_TOKEN glptt-<h40>
gitlab-feed FEED_TOKEN glft-<s20>
bitbucket-app BITBUCKET_PASSWORD ATBB<w32>
slack-bot SLACK_BOT_TOKEN xoxb-<d12>-<d13>-<w24>
slack-user SLACK_TOKEN xoxp-<d12>-<d12>-<d13>-<h32>
slack-app SLACK_APP_TOKEN xapp-1-A<u10>-<d13>-<h64>
slack-hook SLACK_WEBHOOK https://hooks.slack.com/services/T<u10>/B<u10>/<w24>
discord-bot DISCORD_BOT_TOKEN MT<s24>.<s6>.<s38>
discord-hook DISCORD_WEBHOOK https://discord.com/api/webhooks/<d18>/<s68>
telegram TELEGRAM_BOT_TOKEN <d10>:AA<s33>
twilio-key TWILIO_API_KEY SK<h32>
twilio-auth TWILIO_AUTH_TOKEN <h32>
sendgrid SENDGRID_API_KEY SG.<s22>.<s43>
mailgun MAILGUN_API_KEY key-<h32>
mailchimp MAILCHIMP_API_KEY <h32>-us14
brevo BREVO_API_KEY xkeysib-<h64>-<w16>
postmark POSTMARK_SERVER_TOKEN <h8>-<h4>-<h4>-<h4>-<h12>
resend RESEND_API_KEY re_<w8>_<w24>
stripe-live STRIPE_SECRET_KEY sk_live_<w24>
stripe-long STRIPE_SECRET_KEY sk_test_51<w97>
stripe-restricted STRIPE_KEY rk_live_<w99>
stripe-hook STRIPE_WEBHOOK_SECRET whsec_<w32>
square SQUARE_ACCESS_TOKEN EAAA<s60>
square-oauth SQUARE_SECRET sq0csp-<s43>
shopify-admin SHOPIFY_TOKEN shpat_<h32>
shopify-shared SHOPIFY_SECRET shpss_<h32>
braintree BRAINTREE_PRIVATE_KEY <h32>
paypal PAYPAL_CLIENT_SECRET E<s79>
razorpay RAZORPAY_KEY_ID rzp_live_<w14>
openai-legacy OPENAI_API_KEY sk-<w20>T3BlbkFJ<w20>
openai-project OPENAI_API_KEY sk-proj-<s74>T3BlbkFJ<s74>
openai-service OPENAI_API_KEY sk-svcacct-<s74>T3BlbkFJ<s74>
anthropic ANTHROPIC_API_KEY sk-ant-api03-<s93>AA
hugging-face HF_TOKEN hf_<a34>
cohere COHERE_API_KEY <w40>
replicate REPLICATE_API_TOKEN r8_<w37>
perplexity PPLX_API_KEY pplx-<w48>
groq GROQ_API_KEY gsk_<w52>
openrouter OPENROUTER_API_KEY sk-or-v1-<h64>
mistral MISTRAL_API_KEY <w32>
npm NPM_TOKEN npm_<w36>
pypi TWINE_PASSWORD pypi-AgEIcHlwaS5vcmc<s160>
rubygems GEM_HOST_API_KEY rubygems_<h48>
docker-hub DOCKER_TOKEN dckr_pat_<s27>
digitalocean DIGITALOCEAN_TOKEN dop_v1_<h64>
heroku HEROKU_API_KEY <h8>-<h4>-<h4>-<h4>-<h12>
heroku-new HEROKU_API_KEY HRKU-AA<s58>
cloudflare-token CLOUDFLARE_API_TOKEN <s40>
cloudflare-global CLOUDFLARE_API_KEY <h37>
fastly FASTLY_API_TOKEN <s32>
netlify NETLIFY_AUTH_TOKEN nfp_<w36>
vercel VERCEL_TOKEN <w24>
fly FLY_API_TOKEN fm2_<b240>
render RENDER_API_KEY rnd_<w32>
supabase SUPABASE_ACCESS_TOKEN sbp_<h40>
planetscale PLANETSCALE_TOKEN pscale_tkn_<s43>
neon NEON_API_KEY napi_<l64>
databricks DATABRICKS_TOKEN dapi<h32>
datadog-api DD_API_KEY <h32>
datadog-app DD_APP_KEY <h40>
new-relic NEW_RELIC_API_KEY NRAK-<u27>
sentry-user SENTRY_AUTH_TOKEN sntryu_<h64>
grafana GRAFANA_TOKEN glsa_<w32>_<h8>
grafana-cloud GRAFANA_CLOUD_TOKEN glc_<b120>==
dynatrace DT_API_TOKEN dt0c01.<u24>.<u64>
pagerduty PAGERDUTY_API_KEY <w20>
rollbar ROLLBAR_ACCESS_TOKEN <h32>
vault VAULT_TOKEN hvs.<s92>
terraform TF_API_TOKEN <w14>.atlasv1.<s67>
pulumi PULUMI_ACCESS_TOKEN pul-<h40>
doppler DOPPLER_TOKEN dp.st.prd.<w43>
one-password OP_SERVICE_ACCOUNT_TOKEN ops_eyJ<w600>
age SOPS_AGE_KEY AGE-SECRET-KEY-1<q58>
airtable AIRTABLE_TOKEN pat<w14>.<h64>
notion NOTION_TOKEN ntn_<d11><w35>
linear LINEAR_API_KEY lin_api_<w40>
figma FIGMA_TOKEN figd_<s40>
postman POSTMAN_API_KEY PMAK-<h24>-<h34>
atlassian JIRA_API_TOKEN ATATT3xFfGF0<s172>=<u8>
asana ASANA_ACCESS_TOKEN 1/<d16>:<h32>
sonar SONAR_TOKEN squ_<h40>
snyk SNYK_TOKEN <h8>-<h4>-<h4>-<h4>-<h12>
circleci CIRCLE_TOKEN CCIPAT_<w22>_<h40>
buildkite BUILDKITE_TOKEN bkua_<h40>
travis TRAVIS_TOKEN <s22>
okta OKTA_API_TOKEN 00<s40>
auth0 AUTH0_CLIENT_SECRET <s64>
clerk CLERK_SECRET_KEY sk_live_<w42>
algolia ALGOLIA_ADMIN_KEY <h32>
mapbox MAPBOX_TOKEN sk.eyJ1Ijoi<w60>.<s22>
contentful CONTENTFUL_TOKEN CFPAT-<s43>
hubspot HUBSPOT_TOKEN pat-na1-<h8>-<h4>-<h4>-<h4>-<h12>
zendesk ZENDESK_API_TOKEN <w40>
dropbox DROPBOX_TOKEN sl.<s138>
facebook FB_ACCESS_TOKEN EAAG<w190>
twitter-bearer TWITTER_BEARER_TOKEN AAAAAAAAAAAAAAAAAAAAA<w90>
linkedin LINKEDIN_CLIENT_SECRET <w16>
adobe ADOBE_CLIENT_SECRET p8e-<s32>
alibaba ALIYUN_ACCESS_KEY_ID LTAI5t<w18>
yandex YANDEX_API_KEY AQVN<s36>
tailscale TS_AUTHKEY tskey-auth-<w17>-<w32>
jwt SESSION_JWT eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJ<w80>.<s43>
postgres-address DATABASE_URL postgresql://app:<w16>@db.internal:5432/app
mongo-address MONGO_URL mongodb+srv://app:<w18>@cluster0.mongodb.net/app
private-key SIGNING_KEY -----BEGIN|PRIVATE|KEY-----^<b64>^<b64>^<b40>==^-----END|PRIVATE|KEY-----
plain-password DB_PASSWORD <w10>!<d2>
plain-api-key SERVICE_API_KEY <w32>
plain-secret APP_SECRET <h48>
plain-token ACCESS_TOKEN <w36>
"""

NAMED = (
    "export {name}={value}",
    "{name}={value}",
    '{name} = "{value}"',
    "{lower}: {value}",
    '"{lower}": "{value}",',
    'const {camel} = "{value}";',
    "docker run -e {name}={value} app",
    "I set {name}={value} in the environment, then it worked.",
    "os.environ['{name}'] = '{value}'",
    "env:\n  - name: x\n    {lower}: '{value}'",
)
BARE = (
    'curl -H "Authorization: Bearer {value}" https://api.internal/v1',
    "GET https://api.internal/v1/items?token={value}&page=2",
    "The deploy failed because {value} had expired.",
    "Use `{value}` for the staging account",
)
_RANDOM = re.compile(r"<(\w)(\d+)>")


def samples() -> Iterator[tuple[str, str, str]]:
    """Kind, text and the secret in it."""
    chance = random.Random(SEED)
    for row in FORMATS.strip().split("\n"):
        kind, name, shape = row.split(" ")
        words = name.lower().split("_")
        camel = words[0] + "".join(map(str.title, words[1:]))
        frames = NAMED + BARE if recognisable(shape) else NAMED
        for turn in range(PER_KIND):
            value = body(shape, chance)
            frame = frames[(turn + chance.randrange(len(frames))) % len(frames)]
            yield kind, frame.format(name=name, lower=name.lower(), camel=camel, value=value), secret_part(value)


def recognisable(shape: str) -> bool:
    """Whether a value of this shape is known as a secret without a name before it."""
    return any(len(word) >= 2 for word in re.findall(r"[A-Za-z]+", _RANDOM.sub(" ", shape))) and "^" not in shape


def body(shape: str, chance: random.Random) -> str:
    """A format's shape with random characters in it."""

    def drawn(match: re.Match[str]) -> str:
        return "".join(chance.choices(ALPHABETS[match[1]], k=int(match[2])))

    return _RANDOM.sub(drawn, shape).replace("^", "\n").replace("|", " ")


def secret_part(value: str) -> str:
    """Of an address only what has to be cut out of it."""
    if "@" in value and "://" in value:
        return value.split("://")[1].split(":")[1].split("@")[0]
    return value.rsplit("/", 1)[1] if value.startswith("https://") else value
