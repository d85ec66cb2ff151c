"""Function words are those of the language of the text."""

from __future__ import annotations

import pytest

from holloway.text.function_words import LANGUAGE_WORDS_MIN, find_function_words
from holloway.text.identifiers import STOP_WORDS


@pytest.mark.parametrize(
    ("text", "function", "subject"),
    [
        (
            "Die Rechnung soll auf Cent gerundet werden, und das ist der Test",
            "die soll auf werden und",
            "rechnung cent",
        ),
        ("Corrige l'erreur dans le panier quand il manque un prix", "dans le quand il un", "panier prix"),
        ("Corrige el error del carrito cuando falta un precio", "el del cuando un", "error carrito precio"),
        ("Corrija o erro do carrinho quando não há um preço", "o do quando não um", "carrinho preço"),
        ("Correggi il totale del carrello quando non ha un prezzo", "il del quando non un", "carrello prezzo"),
        ("Zorg dat het totaal niet wordt afgerond voor de klant", "dat het niet wordt voor de", "totaal klant"),
        ("Se till att summan inte avrundas när det är en order", "att inte när det är en", "summan order"),
        ("Popraw koszyk, gdy nie ma ceny i nie jest to test", "gdy nie ma i jest to", "koszyk ceny"),
        ("исправь отчёт о продажах, он не так считает", "о он не так", "отчёт продажах"),
    ],
)
def test_a_text_in_another_language_has_its_own_function_words(text: str, function: str, subject: str) -> None:
    words = find_function_words(text)
    assert set(function.split()) <= words
    assert words.isdisjoint(subject.split())


def test_words_of_code_stay_in_an_english_text() -> None:
    text = "the process may die in the war room, so check who was on call, and will he come"
    assert find_function_words(text) == STOP_WORDS


def test_a_few_words_that_two_languages_share_are_no_language() -> None:
    assert find_function_words("die man") == STOP_WORDS
    assert "die" in find_function_words("die man hat")
    assert LANGUAGE_WORDS_MIN == 3
