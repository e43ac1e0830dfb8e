"""Forms of words: folded spelling, singular, stem; in the languages of a taxonomy."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from itertools import islice

from ontomask.errors import ParameterError, quote_names

__all__ = [
    "CODE_OF_LANGUAGE",
    "SNOWBALL_LANGUAGES",
    "fold_name",
    "fold_singular",
    "fold_umlauts",
    "fold_unicode",
    "guess_language",
    "language_code",
    "stem_words",
]

_NOT_WORD = re.compile(r"[\W_]+")
#: Letters with points between them: U.S.A., e.g.
_DOTTED = re.compile(r"\b(?:[^\W\d_]\.)+[^\W\d_]\b\.?|\b(?:[^\W\d_]\.){2,}")
#: The accents of Latin, Greek and Cyrillic letters. The marks of other scripts are letters.
_ACCENTS = re.compile("[\u0300-\u036f]")
_LETTERS_WITHOUT_ACCENT = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "œ": "oe", "æ": "ae", "þ": "th", "ı": "i"}
)
#: How people write these letters on a keyboard without them.
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe"})

#: The names that Snowball has for languages, by their code.
SNOWBALL_LANGUAGES = {
    **{"ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek"},
    **{"en": "english", "es": "spanish", "eu": "basque", "fi": "finnish", "fr": "french"},
    **{"hu": "hungarian", "it": "italian", "lt": "lithuanian", "nb": "norwegian"},
    **{"nl": "dutch", "no": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian"},
    **{"sv": "swedish", "tr": "turkish"},
}
#: The same the other way round.
CODE_OF_LANGUAGE = {language: code for code, language in SNOWBALL_LANGUAGES.items()}

#: Codes of three letters, by the codes of two.
_THREE_LETTERS = {
    **{"ar": "arb", "ca": "cat", "da": "dan", "de": "deu", "el": "ell", "en": "eng", "es": "spa"},
    **{"eu": "eus", "fi": "fin", "fr": "fra", "it": "ita", "lt": "lit", "nb": "nob", "nl": "nld"},
    **{"pt": "por", "ro": "ron", "ru": "rus", "sv": "swe", "tr": "tur"},
}


def language_code(tag: str) -> str:
    """The code of two letters for the tag of a language; an empty text if it is unknown.

    >>> language_code("spa"), language_code("es-MX"), language_code("data")
    ('es', 'es', '')
    """
    tag = tag.partition("-")[0].lower()
    return next((code for code, long in _THREE_LETTERS.items() if tag in (code, long)), "")


def fold_name(name: str) -> str:
    """Fold case, accents, spaces and punctuation of a name, which people type differently.

    >>> fold_name("  Coma, Diabetic "), fold_name("SPORT_SHOE"), fold_name("Straße")
    ('coma diabetic', 'sport shoe', 'strasse')
    >>> fold_name("Fractura de fémur"), fold_name("U.S.A.")
    ('fractura de femur', 'usa')
    """
    text = name.lower() if name.isascii() else _fold_accents(fold_unicode(name))
    if "." in text:
        text = _DOTTED.sub(lambda dotted: dotted[0].replace(".", ""), text)
    return _NOT_WORD.sub(" ", text).strip()


def fold_umlauts(name: str) -> str:
    """The folded name with umlauts written as two letters.

    >>> fold_umlauts("Übelkeit")
    'uebelkeit'
    """
    return fold_name(fold_unicode(name).translate(_UMLAUTS))


def fold_unicode(text: str) -> str:
    """Fold the case of a text and its Unicode forms, such as full width or combined accents.

    >>> fold_unicode("ＨＩＶ"), fold_unicode("Straße")
    ('hiv', 'strasse')
    """
    plain = unicodedata.normalize("NFKC", text).casefold()
    return unicodedata.normalize("NFKC", plain)


def _fold_accents(text: str) -> str:
    letters = _ACCENTS.sub("", unicodedata.normalize("NFD", text))
    return unicodedata.normalize("NFC", letters).translate(_LETTERS_WITHOUT_ACCENT)


# ---------------------------------------------------------------------- plurals

_ENGLISH_IRREGULAR = {
    **{"men": "man", "women": "woman", "children": "child", "people": "person"},
    **{"feet": "foot", "teeth": "tooth", "geese": "goose", "mice": "mouse", "lice": "louse"},
    **{"knives": "knife", "wives": "wife", "housewives": "housewife", "midwives": "midwife"},
    **{"leaves": "leaf", "wolves": "wolf", "halves": "half", "shelves": "shelf"},
    **{"craftsmen": "craftsman", "firemen": "fireman", "fishermen": "fisherman"},
    **{"policemen": "policeman", "salesmen": "salesman", "tradesmen": "tradesman"},
    **{"workmen": "workman", "foremen": "foreman", "repairmen": "repairman"},
}


def _english_singular(word: str) -> str:
    if word in _ENGLISH_IRREGULAR:
        return _ENGLISH_IRREGULAR[word]
    if len(word) > 6 and word.endswith(("oses", "yses")):
        return f"{word[:-2]}is"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    if len(word) > 4 and word.endswith("ie"):
        return f"{word[:-2]}y"
    if len(word) > 3 and word.endswith(("che", "she", "xe", "ze", "sse", "use", "oe")):
        return word[:-1]
    return word


def _spanish_singular(word: str) -> str:
    if len(word) > 3 and word.endswith("s") and not word.endswith(("is", "us", "ss")):
        word = word[:-1]
        if word.endswith("ce"):
            return f"{word[:-2]}z"
    if len(word) > 4 and re.search("[lrndzj]e$", word):
        return word[:-1]
    return word


def _catalan_singular(word: str) -> str:
    if len(word) > 5 and word.endswith("ions"):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("is", "us", "ss", "os")):
        word = word[:-1]
    if len(word) > 4 and word.endswith(("que", "gue")):
        return f"{word[:-2].replace('q', 'c')}a"
    return f"{word[:-1]}a" if len(word) > 4 and word.endswith("e") else word


def _portuguese_singular(word: str) -> str:
    if len(word) > 4 and word.endswith("oes"):
        return f"{word[:-3]}ao"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("is", "us", "ss")):
        word = word[:-1]
    return word[:-1] if len(word) > 3 and re.search("[rzs]e$", word) else word


def _french_singular(word: str) -> str:
    if len(word) > 4 and word.endswith("aux"):
        return word[:-1] if word.endswith("eaux") else f"{word[:-2]}l"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("is", "us", "ss")):
        return word[:-1]
    return word


def _german_singular(word: str) -> str:
    if re.search("...(ung|heit|keit|schaft|ion|tat)en$", word):
        return word[:-2]
    if word.endswith("innen") and len(word) > 7:
        return word[:-3]
    if len(word) > 4 and word.endswith("en"):
        word = word[:-1]
    elif len(word) > 4 and re.search("[aiou]s$", word) and not word.endswith(("is", "us")):
        return word[:-1]
    return word[:-1] if len(word) > 5 and word.endswith("e") else word


_SINGULARS: dict[str, Callable[[str], str]] = {
    "ca": _catalan_singular,
    "de": _german_singular,
    "en": _english_singular,
    "es": _spanish_singular,
    "fr": _french_singular,
    "pt": _portuguese_singular,
}


def fold_singular(language: str, keep: frozenset[str] = frozenset()) -> Callable[[str], str] | None:
    """A function that reduces the words of a folded name to one form for singular and plural.

    The form need not be a word. It is the same for two names that differ in number only, and
    nothing more is folded: word families stay apart, as *hepatic* and *hepatitis* do. ``keep`` are
    words that are left as they are. None if there are no rules for the language.

    >>> singular = fold_singular("en")
    >>> singular("fractures of arms"), singular("alzheimer s disease"), singular("hepatitis")
    ('fracture of arm', 'alzheimer disease', 'hepatitis')
    """
    singular_of = _SINGULARS.get(language)
    if singular_of is None:
        return None
    singulars: dict[str, str] = {word: word for word in keep}  # most words occur in many names

    def fold_words(name: str) -> str:
        words = name.split(" ")
        for word in words:
            if word not in singulars:
                singulars[word] = singular_of(word)
        reduced = [singulars[word] for word in words]
        if language == "en" and "s" in reduced[1:]:  # what folding left of Alzheimer's
            reduced = [reduced[0], *(word for word in reduced[1:] if word != "s")]
        return " ".join(reduced)

    return fold_words


# ---------------------------------------------------------------------- stems


@cache
def stem_words(language: str) -> Callable[[str], str]:
    """A function that reduces each word of a folded name to its stem (TM section 4).

    >>> stem = stem_words("english")
    >>> stem("sports"), stem("second residences"), stem("relaxation") == stem("relax")
    ('sport', 'second resid', True)
    """
    import Stemmer  # Snowball's own, in C

    languages = Stemmer.algorithms()
    if language not in languages:
        raise ParameterError(
            f"stems must be 'plural', 'auto', a supported language or None, got {language!r}",
            f"the languages are {quote_names(sorted(languages), most=len(languages))}",
        )
    stem_of = Stemmer.Stemmer(language).stemWord
    stems: dict[str, str] = {}  # most words occur in many names

    def stem_name(name: str) -> str:
        words = name.split(" ")
        for word in words:
            if word not in stems:
                stems[word] = stem_of(word)
        return " ".join([stems[word] for word in words])

    return stem_name


# ---------------------------------------------------------------------- languages

#: Words without a meaning of their own, which tell languages apart.
_FUNCTION_WORDS = {
    "ca": "de la del els les amb i per al altres sense dels a en o d l malaltia",
    "de": "der die das und des mit ohne von im am durch bei sonstige nicht oder zur",
    "en": "of the and with in to or for other without due not by on unspecified",
    "es": "de la del el los las con y por en otros otras sin no o a enfermedad",
    "fr": "de la du des et les avec sans autres par au aux en ou le a",
    "it": "di del della e con dei delle senza altri per da il la non o a",
    "nl": "van de het en met zonder een of door bij andere niet in voor",
    "pt": "de da do dos das e com sem outros por em outras nao ou a o",
}
MOST_LABELS = 20_000


def guess_language(names: Iterable[str]) -> str:
    """Guess the language of names by their function words; an empty text if it is not clear.

    >>> guess_language(["Fractura de la tibia", "Fracturas con herida", "Dolor en el brazo"])
    'es'
    >>> guess_language(["Bruch", "Prellung"])
    ''
    """
    words = Counter(
        word
        for name in islice(names, MOST_LABELS)
        if " " in name
        for word in fold_name(name).split()
    )
    scores = {
        language: sum(words[word] for word in function_words.split())
        for language, function_words in _FUNCTION_WORDS.items()
    }
    first, second = sorted(scores, key=lambda language: -scores[language])[:2]
    is_clear = scores[first] >= 3 and scores[first] > 1.1 * scores[second]
    return first if is_clear else ""
