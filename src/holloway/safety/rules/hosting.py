"""Tokens of hosting providers."""

from __future__ import annotations

from holloway.safety.rules.rule import Rule, near, token

_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"

HOSTING = (
    Rule(
        "digitalocean-token",
        ("do",),
        token(r"do[opr]_v1_[0-9a-f]{64}"),
        3.0,
        ("dop_v1_{hex:64}", "dor_v1_{hex:64}"),
        ("dop_v1_{x:64}",),
    ),
    Rule(
        "digitalocean-spaces-key",
        ("do00",),
        token(r"DO00[A-Z0-9]{16}"),
        3.0,
        ("DO00{upper:16}",),
        ("DO00{x:16}", "DO00{upper:6}"),
    ),
    Rule(
        "heroku-token", ("hrku-",), token(r"HRKU-[A-Za-z0-9_-]{36,64}"), 3.5, ("HRKU-AA{alnum:58}",), ("HRKU-{x:58}",)
    ),
    Rule(
        "heroku-key",
        ("heroku",),
        near(r"heroku[\w -]{0,16}(?:key|token|secret|password)", _UUID),
        3.0,
        ("HEROKU_API_KEY={hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}",),
        ("heroku app id {hex:8}",),
    ),
    Rule(
        "cloudflare-origin-ca-key",
        ("v1.0-",),
        token(r"v1\.0-[0-9a-f]{24}-[0-9a-f]{146}"),
        3.0,
        ("v1.0-{hex:24}-{hex:146}",),
        ("v1.0-{hex:24}",),
    ),
    Rule(
        "cloudflare-token",
        ("cloudflare", "cf_"),
        near(r"cloudflare|cf_api(?:_token|_key)?", r"[A-Za-z0-9_-]{40}|[0-9a-f]{37}"),
        3.5,
        ("CLOUDFLARE_API_TOKEN={alnum:40}", "cf_api_key: {hex:37}"),
        ("CLOUDFLARE_API_TOKEN={x:40}", "cloudflare workers"),
    ),
    Rule(
        "cloudflare-turnstile-secret",
        ("0x4aaa",),
        token(r"0x4AAAAAAA[A-Za-z0-9_-]{25,28}"),
        3.3,
        ("0x4AAAAAAA{alnum:27}",),
        ("0x4AAAAAAA", "0x4AAAAAAA{x:27}"),
    ),
    Rule(
        "fastly-token",
        ("fastly",),
        near(r"fastly", r"[A-Za-z0-9_-]{32}"),
        3.5,
        ("FASTLY_API_KEY={alnum:32}",),
        ("FASTLY_API_KEY={x:32}", "fastly.com"),
    ),
    Rule(
        "netlify-token",
        ("nfp_", "nfc_", "nfo_", "nfu_", "nfb_"),
        token(r"nf[pcoub]_[A-Za-z0-9]{36}"),
        3.5,
        ("nfp_{alnum:36}",),
        ("nfp_{x:36}", "nfp_{alnum:4}"),
    ),
    Rule(
        "netlify-legacy-token",
        ("netlify",),
        near(r"netlify[\w -]{0,16}(?:token|key|secret)", r"[A-Za-z0-9_-]{43,46}"),
        3.7,
        ("NETLIFY_AUTH_TOKEN={alnum:43}",),
        ("NETLIFY_AUTH_TOKEN={x:43}",),
    ),
    Rule(
        "vercel-token",
        ("vercel",),
        near(r"vercel[\w -]{0,12}(?:token|key)", r"(?:vc[pciark]_)?[A-Za-z0-9]{24,60}"),
        3.5,
        ("VERCEL_TOKEN={alnum:24}", "vercel token: {alnum:24}"),
        ("VERCEL_TOKEN={x:24}", "vercel deploy --prod"),
    ),
    Rule(
        "vercel-blob-token",
        ("vercel_blob_rw_",),
        token(r"vercel_blob_rw_[A-Za-z0-9]{16}_[A-Za-z0-9]{30,32}"),
        3.5,
        ("vercel_blob_rw_{alnum:16}_{alnum:30}",),
        ("vercel_blob_rw_{x:16}",),
    ),
    Rule(
        "fly-token",
        ("fo1_", "fm1", "fm2_"),
        token(r"fo1_[A-Za-z0-9_-]{43}|fm(?:1[ar]|2)_[A-Za-z0-9+/]{90,}={0,3}"),
        4.0,
        ("fo1_{alnum:43}", "fm2_{b64:200}=", "fm1r_{b64:120}"),
        ("fo1_{x:43}", "fo1_{alnum:8}"),
    ),
    Rule(
        "render-token",
        ("rnd_",),
        token(r"rnd_[A-Za-z0-9]{28,32}"),
        3.5,
        ("rnd_{alnum:28}", "rnd_{alnum:32}"),
        ("rnd_{x:28}", "rnd_state"),
    ),
    Rule(
        "railway-token",
        ("railway",),
        near(r"railway[\w -]{0,12}token", _UUID),
        3.0,
        ("RAILWAY_TOKEN={hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}",),
        ("railway up", "RAILWAY_TOKEN={x:8}"),
    ),
    Rule(
        "supabase-token",
        ("sbp_", "sb_secret_"),
        token(r"sbp_(?:oauth_)?[0-9a-f]{40}|sb_secret_[A-Za-z0-9_-]{22}_[A-Za-z0-9_-]{8}"),
        3.0,
        ("sbp_{hex:40}", "sb_secret_{alnum:22}_{alnum:8}"),
        ("sbp_{x:40}", "sb_publishable_{alnum:22}_{alnum:8}"),
    ),
)
