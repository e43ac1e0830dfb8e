"""Draws that belong to a record: the same in any order, in any piece, in any process."""

from __future__ import annotations

import json
import math
import pickle
import struct
import subprocess
import sys
from hashlib import blake2b

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ontomask as om
import plain
import plain_noise
from method_tables import attribute, counted
from ontomask.methods import NoiseAddition
from ontomask.methods.noise.distribution import NoiseDistribution
from ontomask.methods.noise.keyed_draws import (
    combine_keys,
    draw_uniforms,
    stream_key,
    value_digests,
)
from ontomask.methods.noise.table import count_transitions
from ontomask.microdata.attributes import NominalAttribute, NumericalAttribute
from ontomask.microdata.missing_values import NominalOrMissing
from ontomask.microdata.tuples import Tuples, count_tuples
from strategies import taxonomies

SECRET = bytes(range(32))
STRATEGIES = ["semantic", "naive", "probabilistic"]
WHOLE = 2**64


def tuple_keys(tuples, secret):
    digests = [value_digests(attribute, secret) for attribute in tuples.attributes]
    return combine_keys([it.name for it in tuples.attributes], digests, tuples.codes)


# ---------------------------------------------------------------- as slow as can be


def mixed(number):
    number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9 % WHOLE
    number = (number ^ (number >> 27)) * 0x94D049BB133111EB % WHOLE
    return number ^ (number >> 31)


def hashed(secret, person, text):
    found = blake2b(text.encode(), digest_size=8, key=secret, person=person).digest()
    return int.from_bytes(found, "little")


def plain_key(secret, row):
    """The key of a tuple, given as a dict of names and values."""
    key = 0
    for name, value in sorted(row.items()):
        text = "-" if value is None else f"w{value}" if isinstance(value, str) else f"n{value!r}"
        key = mixed((key + hashed(secret, b"ontomask values", f"{name}\0{text}")) % WHOLE)
    return key


def plain_block(key, words):
    """A block of ChaCha20 as in RFC 8439, section 2.3; ``words`` are counter and nonce."""

    def quarter(a, b, c, d):
        for first, second, other, by in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            state[first] = (state[first] + state[second]) % 2**32
            state[other] ^= state[first]
            state[other] = (state[other] << by | state[other] >> (32 - by)) % 2**32

    start = struct.unpack("<4I8I", b"expand 32-byte k" + key) + words
    state = list(start)
    for _ in range(10):
        for i in range(4):
            quarter(i, 4 + i, 8 + i, 12 + i)
        for i in range(4):
            quarter(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4)
    return struct.pack("<16I", *((a + b) % 2**32 for a, b in zip(state, start, strict=True)))


def plain_uniform(secret, row, number, name, which):
    """A draw of a record: eight bytes of its block."""
    stream = blake2b(name.encode(), digest_size=32, key=secret, person=b"ontomask draws").digest()
    block = plain_block(
        stream, struct.unpack("<4I", struct.pack("<2Q", number, plain_key(secret, row)))
    )
    return (struct.unpack("<8Q", block)[which] >> 11) / 2**53


def test_the_block_that_the_standard_prints():
    nonce = bytes.fromhex("000000090000004a00000000")  # RFC 8439, section 2.3.2
    block = plain_block(bytes(range(32)), struct.unpack("<4I", struct.pack("<I", 1) + nonce))
    assert block.hex().startswith(
        "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
    )


@given(data=st.data())
def test_draws_are_those_of_the_plain_generator(data):
    secret = data.draw(st.binary(min_size=1, max_size=64))
    words = data.draw(st.lists(st.sampled_from("abc"), min_size=3, max_size=9))
    numbers = [data.draw(st.floats(-9, 9)) + 0.0 for _ in words]
    domain = om.Taxonomy.from_edges([(it, "root") for it in "abc"])
    made = [attribute("word", words, domain), attribute("number", numbers)]
    tuples, record = count_tuples([a for a, _ in made], [codes for _, codes in made])
    keys = tuple_keys(tuples, secret)
    number = np.array([data.draw(st.integers(0, 9)) for _ in words])
    for name, which in (("word", 0), ("word", 1), ("number", 0)):
        found = draw_uniforms(stream_key(secret, name), number, keys[record])[which]
        for word, value, i, drawn in zip(words, numbers, number.tolist(), found, strict=True):
            row = {"word": word, "number": value}
            assert drawn == plain_uniform(secret, row, i, name, which)


# ---------------------------------------------------------------- keys


def test_a_key_depends_on_values_alone(diagnoses):
    def keys(columns):
        made = [attribute(name, *column) for name, column in columns.items()]
        tuples, record = count_tuples([a for a, _ in made], [codes for _, codes in made])
        return tuple_keys(tuples, SECRET)[record]

    words, numbers = ["sprain", "influenza", "hepatitis B"], [2.0, 0.5, 2.0]
    found = keys({"d": (words, diagnoses), "x": (numbers,)})
    # Fewer tuples, so other codes; another order of attributes; numbers that are whole.
    assert found[2] == keys({"d": (words[2:], diagnoses), "x": (numbers[2:],)})[0]
    assert np.array_equal(found, keys({"x": (numbers,), "d": (words, diagnoses)}))
    assert found[0] == keys({"d": (["sprain"], diagnoses), "x": ([2],)})[0]
    # What does make a difference: the value, the name, the secret.
    assert len({*found, *keys({"d": (words, diagnoses), "y": (numbers,)})}) == 6
    both = value_digests(attribute("d", words, diagnoses)[0], SECRET)
    assert not np.isin(both, value_digests(attribute("d", words, diagnoses)[0], SECRET[::-1])).any()


def test_words_that_look_like_numbers_and_values_that_are_missing(diagnoses):
    tree = om.Taxonomy.from_edges([("1.0", "-"), ("2.0", "-")])
    words = value_digests(NominalAttribute("x", tree, ["-", "1.0", "2.0"]), SECRET)
    numbers = value_digests(NumericalAttribute("x", np.array([1.0, 2.0])), SECRET)
    missing = value_digests(NominalOrMissing("x", tree, ["1.0"]), SECRET)
    assert missing[0] == words[1]
    assert len({*words, *numbers, missing[1]}) == 6
    assert missing[1] == value_digests(NominalOrMissing("x", diagnoses, []), SECRET)[0]


def test_zero_has_no_sign():
    zeros = [
        value_digests(NumericalAttribute("x", np.array([zero])), SECRET) for zero in (0.0, -0.0)
    ]
    assert zeros[0] == zeros[1]


def test_any_text_has_a_digest():
    tree = om.Taxonomy.from_edges([("\ud800", "é\0")])
    assert len(set(value_digests(NominalAttribute("\udfff", tree, ["é\0", "\ud800"]), SECRET))) == 2


# ---------------------------------------------------------------- are they random?

MANY = 200_000


def drawn(tuples=1, which=0, name="x", numbers=MANY):
    """A row for each tuple, those of the numbers 0, 1, 2, ..."""
    values = NumericalAttribute("x", np.arange(float(tuples)))
    keys = combine_keys(["x"], [value_digests(values, SECRET)], [np.arange(tuples)])
    found = draw_uniforms(
        stream_key(SECRET, name), np.tile(np.arange(numbers), tuples), np.repeat(keys, numbers)
    )[which]
    return found.reshape(tuples, numbers)


def surprise(counts):
    """How far counts are from equal ones: standard deviations of chi-square, about normal."""
    expected = counts.sum() / counts.size
    freedom = counts.size - 1
    return (((counts - expected) ** 2 / expected).sum() - freedom) / math.sqrt(2 * freedom)


def pairs_surprise(a, b, cells=16):
    """The same for pairs of numbers, on a board."""
    place = (a * cells).astype(int) * cells + (b * cells).astype(int)
    return surprise(np.bincount(place.ravel(), minlength=cells**2))


@pytest.mark.parametrize("tuples", [1, 200, MANY])
def test_numbers_from_0_to_1_are_equally_likely(tuples):
    found = drawn(tuples, numbers=MANY // tuples).ravel()
    assert found.min() >= 0
    assert found.max() < 1
    for cells in (10, 1_000):
        assert abs(surprise(np.bincount((found * cells).astype(int), minlength=cells))) < 5
    low = np.ldexp(found, 53).astype(np.int64) & 1023  # the last bits are as good as the first
    assert abs(surprise(np.bincount(low, minlength=1024))) < 5


@pytest.mark.parametrize("apart", [1, 2, 3, 64, 1024])
def test_records_of_a_tuple_have_nothing_to_do_with_each_other(apart):
    found = drawn()[0]
    assert abs(pairs_surprise(found[:-apart], found[apart:])) < 5
    assert abs(np.corrcoef(found[:-apart], found[apart:])[0, 1]) < 5 / math.sqrt(MANY)


@pytest.mark.parametrize("numbers", [1, 20])
def test_tuples_have_nothing_to_do_with_each_other(numbers):
    found = drawn(MANY // numbers, numbers=numbers)
    assert abs(pairs_surprise(found[:-1], found[1:])) < 5
    assert abs(np.corrcoef(found[:-1].ravel(), found[1:].ravel())[0, 1]) < 5 / math.sqrt(MANY)
    # Nor with the next record of the other: no stream is another one a step later.
    if numbers > 1:
        assert abs(pairs_surprise(found[:-1, :-1], found[1:, 1:])) < 5


@pytest.mark.parametrize("other", [{"which": 1}, {"name": "y"}, {"name": "x1"}])
def test_draws_of_a_record_have_nothing_to_do_with_each_other(other):
    for tuples in (1, 20_000):
        a = drawn(tuples, numbers=MANY // tuples)
        b = drawn(tuples, numbers=MANY // tuples, **other)
        assert abs(pairs_surprise(a, b)) < 5
        assert abs(pairs_surprise(a[:, :-1], b[:, 1:])) < 5
        assert abs(np.corrcoef(a.ravel(), b.ravel())[0, 1]) < 5 / math.sqrt(MANY)


def test_no_two_records_share_a_draw():
    assert len(np.unique(drawn(1_000, numbers=200))) > MANY - 3


# ---------------------------------------------------------------- the distributions

DISTRIBUTIONS = ["normal", "laplace"]
SPREADS = [1e-6, 0.01, 0.3, 1, 7, 1e4, 1e8, 1e150]


def share_within(distribution, x):
    """The chance of a size up to x."""
    if distribution.name == "normal":
        return math.erf(x / (distribution.spread * math.sqrt(2)))
    return -math.expm1(-x * math.sqrt(2) / distribution.spread)


def share_beyond(distribution, x):
    """The chance of a larger one, with all its digits where it is small."""
    if distribution.name == "normal":
        return math.erfc(x / (distribution.spread * math.sqrt(2)))
    return math.exp(-x * math.sqrt(2) / distribution.spread)


@pytest.mark.parametrize("name", DISTRIBUTIONS)
@pytest.mark.parametrize("spread", SPREADS)
def test_quantiles_invert_the_distribution(name, spread):
    distribution = NoiseDistribution(name, spread)
    uniform = np.array([0.5, 0.5 + 2**-40, 0.6, 0.75, 0.9, 0.99, 0.999999, 1 - 2**-53])
    share = 2 * (uniform - 0.5) + 2**-53  # of sizes, in the middle of a step
    inside = share_within(distribution, 1)
    for x, part in zip(distribution.draw_within_1(uniform).tolist(), share.tolist(), strict=True):
        assert 0 < x <= 1
        assert share_within(distribution, x) == pytest.approx(part * inside, rel=1e-12)
    for x, part in zip(distribution.free(uniform).tolist(), share.tolist(), strict=True):
        # The rarest have a chance of 2^-53, and are not lost to rounding.
        assert share_beyond(distribution, x) == pytest.approx(1 - part, rel=1e-9)
        assert share_within(distribution, x) == pytest.approx(part, rel=1e-12)


@pytest.mark.parametrize("spread", [1e4, 1e8, 1e150])
@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_a_wide_distribution_is_even(name, spread):
    uniform = np.linspace(0, 1, 1_001)[:-1]
    assert NoiseDistribution(name, spread).draw_within_1(uniform) == pytest.approx(
        2 * uniform - 1, abs=1e-4
    )


@pytest.mark.parametrize("name", DISTRIBUTIONS)
@given(place=st.integers(0, 2**53 - 1), spread=st.sampled_from(SPREADS))
def test_both_sides_are_alike(name, place, spread):
    distribution, uniform = (
        NoiseDistribution(name, spread),
        np.array([place, 2**53 - 1 - place]) * 2.0**-53,
    )
    for a, b in (distribution.draw_within_1(uniform), distribution.free(uniform)):
        assert a == -b != 0
        assert (a > 0) == (place >= 2**52)


# ---------------------------------------------------------------- what records become


@st.composite
def tables(draw):
    """A table of words, of which some are missing, and numbers, with a method."""
    domain = draw(taxonomies(max_concepts=10).filter(lambda it: len(it) > 2))
    n = draw(st.integers(4, 20))
    few = draw(st.lists(st.sampled_from(domain.identifiers), min_size=2, max_size=4, unique=True))
    words = [*few, *(draw(st.sampled_from([*few, None])) for _ in range(n - len(few)))]
    numbers = [0.5, 4.0, *(draw(st.integers(1, 6)) / 2 for _ in range(n - 2))]
    measure = draw(st.sampled_from(["sanchez", "wu_palmer", "lin"]))
    method = NoiseAddition(
        draw(st.sampled_from([0.1, 1.0])),
        draw(st.sampled_from(DISTRIBUTIONS)),
        draw(st.sampled_from(STRATEGIES)),
        draw(st.sampled_from(["semantic", "classic"])),
    )
    values = sorted(few)
    nominal = NominalOrMissing("word", domain, values, measure=measure)
    codes = np.array([len(values) if word is None else values.index(word) for word in words])
    numerical, places = attribute("number", numbers, decimals=1)
    return method, *count_tuples([nominal, numerical], [codes, places])


def numbered(record_tuple):
    """Each record's number among those of its tuple."""
    seen = {}
    for it in record_tuple.tolist():
        seen[it] = seen.get(it, -1) + 1
        yield seen[it]


def fitted(method, tuples, secret=SECRET):
    counts = [tuples.value_counts(j) for j in range(len(tuples.attributes))]
    return method.fitted(tuples.attributes, counts, secret)


@given(table=tables(), data=st.data())
def test_pieces_in_any_order_give_what_all_at_once_gives(table, data):
    method, tuples, record = table
    noise = fitted(method, tuples)
    number = np.array(list(numbered(record)))
    codes = tuples.codes[:, record]
    whole = noise.masked(codes, noise.keys(codes), number)
    order = data.draw(st.permutations(range(len(record))))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(record)), max_size=4)))
    again = [np.full_like(column, -9) for column in whole]
    for piece in np.split(np.array(order), cuts):
        some = codes[:, piece]
        for column, found in zip(
            again, noise.masked(some, noise.keys(some), number[piece]), strict=True
        ):
            column[piece] = found
    for a, b in zip(whole, again, strict=True):
        assert a.dtype == b.dtype
        assert np.array_equal(a, b)


@given(table=tables())
def test_a_pickle_draws_the_same(table):
    method, tuples, record = table
    noise = fitted(method, tuples)
    codes, number = tuples.codes[:, record], np.array(list(numbered(record)))
    before = noise.masked(codes, noise.keys(codes), number)
    copy = pickle.loads(pickle.dumps(noise))  # noqa: S301
    assert np.array_equal(copy.keys(codes), tuple_keys(tuples, SECRET)[record])
    for a, b in zip(before, copy.masked(codes, noise.keys(codes), number), strict=True):
        assert np.array_equal(a, b)


def test_another_process_draws_the_same(diagnoses, tmp_path):
    tuples, _ = counted([(["sprain", "influenza", "sprain"] * 9, diagnoses), ([1, 5, 9] * 9, None)])
    noise = fitted(NoiseAddition(), tuples)
    (tmp_path / "noise").write_bytes(pickle.dumps(noise))
    code = (
        "import json, pickle, sys, numpy as np\n"
        "noise = pickle.load(open(sys.argv[1], 'rb'))\n"
        f"codes = np.array({tuples.codes.tolist()})\n"
        "found = noise.masked(codes, noise.keys(codes), np.arange(codes.shape[1]))\n"
        "print(json.dumps([column.tolist() for column in found]))"
    )
    told = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "noise")],
        capture_output=True,
        text=True,
        check=True,
    )
    here = noise.masked(tuples.codes, noise.keys(tuples.codes), np.arange(len(tuples)))
    assert json.loads(told.stdout) == [column.tolist() for column in here]


@given(table=tables(), data=st.data())
def test_a_plan_is_what_its_records_become(table, data):
    method, tuples, record = table
    plan = method.plan(tuples, np.random.default_rng(5))
    noise = fitted(method, tuples, np.random.default_rng(5).bytes(32))
    # Records as they come, and alike ones counted in no order, as an engine may do it.
    order = np.array(data.draw(st.permutations(range(len(record)))))
    codes = tuples.codes[:, record[order]]
    number = np.array(list(numbered(record[order])))
    drawn = noise.masked(codes, noise.keys(codes), number)
    twice = [np.concatenate([column, column]) for column in drawn]
    halves = np.concatenate([np.zeros(len(record)), np.ones(len(record))]).astype(np.int64)
    both = np.concatenate([record[order]] * 2)
    for other in (
        count_transitions(tuples, record[order], drawn),
        count_transitions(tuples, both, twice, halves),
    ):
        for name in ("targets", "source", "target", "count"):
            assert np.array_equal(getattr(plan, name), getattr(other, name))
        for a, b in zip(plan.tuples.attributes, other.tuples.attributes, strict=True):
            assert getattr(a, "candidates", None) == getattr(b, "candidates", None)


@given(data=st.data(), name=st.sampled_from(DISTRIBUTIONS))
def test_words_go_where_the_plain_algorithm_may_go_with_the_same_noise(data, name):
    domain = data.draw(taxonomies(max_concepts=10).filter(lambda it: len(it) > 1))
    few = st.lists(st.sampled_from(domain.identifiers), min_size=2, unique=True)
    column = sorted(data.draw(few))
    tuples, _ = counted([(column, domain)])
    noise = fitted(NoiseAddition(1, name), tuples)
    mean = plain.semantic_mean(domain, column, plain.sanchez)
    distribution = NoiseDistribution(
        name, math.sqrt(plain.semantic_variance(domain, column, plain.sanchez))
    )
    for number in range(4):
        every = np.full(len(column), number)
        (found,) = noise.masked(tuples.codes, noise.keys(tuples.codes), every)
        for value, concept in zip(column, found.tolist(), strict=True):
            uniform = plain_uniform(SECRET, {"a0": value}, number, "a0", 0)
            (epsilon,) = distribution.draw_within_1(np.array([uniform]))
            reached = plain_noise.reached(domain, mean, value, epsilon, plain.sanchez)
            assert domain.identifiers[concept] in reached


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_numbers_are_moved_and_reflected_by_hand(name):
    column = [0, 10, 20, 100]
    tuples, _ = counted([(column, None)])
    noise = fitted(NoiseAddition(2, name, bounds="reflect"), tuples)
    distribution = NoiseDistribution(name, math.sqrt(2 * np.var(column)))
    inside = 0
    for number in range(50):
        (found,) = noise.masked(tuples.codes, noise.keys(tuples.codes), np.full(4, number))
        for value, masked in zip(column, found.tolist(), strict=True):
            uniform = plain_uniform(SECRET, {"a0": float(value)}, number, "a0", 0)
            moved = value + distribution.free(np.array([uniform]))[0]
            inside += 0 <= moved <= 100
            while not 0 <= moved <= 100:
                moved = -moved if moved < 0 else 200 - moved
            assert masked == round(moved)
    assert 20 < inside < 180  # both were tried


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_draws_between_ends_are_those_of_drawing_again(name):
    distribution = NoiseDistribution(name, 0.7)
    random = np.random.default_rng(1)
    low, high = -0.4, 1.1
    again = distribution.free(random.random(400_000))
    again = np.sort(again[(low <= again) & (again <= high)])
    uniform = random.random(len(again))
    ends = np.full(len(again), low), np.full(len(again), high)
    drawn = np.sort(distribution.draw_between(uniform, *ends))
    assert low <= drawn[0] <= drawn[-1] <= high
    assert np.abs(drawn - again).mean() < 0.005
    # From either end of the range there is one direction only.
    none = np.zeros(3)
    few = np.array([0.0, 0.5, 1 - 2**-53])
    assert (distribution.draw_between(few, none, none + 1) >= 0).all()
    assert (distribution.draw_between(few, none - 1, none) <= 0).all()


@pytest.mark.parametrize("name", DISTRIBUTIONS)
@pytest.mark.parametrize("spread", [0.05, 0.3, 1, 3.9, 4.1, 50])
def test_rounded_draws_have_the_spread_that_was_asked_for(name, spread):
    narrow = NoiseDistribution(name, spread).narrow_for_rounding(1.0)
    # Far into the tails, which hold all of the variance where hardly a draw is rounded away from 0.
    uniform = (np.arange(2_000_000) + 0.5) / 2_000_000
    assert np.std(np.round(narrow.free(uniform))) == pytest.approx(spread, rel=0.005)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_an_attribute_does_not_care_for_the_others(diagnoses, strategy):
    words = ["influenza", "sprain", "hepatitis B", "influenza"] * 50
    numbers = list(range(200))
    both, _ = counted([(words, diagnoses), (numbers, None)])
    method = NoiseAddition(strategy=strategy)
    noise = fitted(method, both)
    keys, number = noise.keys(both.codes), np.zeros(len(both), dtype=np.int64)
    together = noise.masked(both.codes, keys, number)
    for j in range(2):
        alone = Tuples((both.attributes[j],), both.codes[[j]], both.counts)
        (found,) = fitted(method, alone).masked(alone.codes, keys, number)
        assert np.array_equal(found, together[j])


def test_records_that_are_alike_become_different(diagnoses):
    tuples, _ = counted([(["influenza", "sprain"] * 500, diagnoses)])
    noise = fitted(NoiseAddition(1), tuples)
    codes = np.zeros((1, 500), dtype=np.int32)
    (found,) = noise.masked(codes, noise.keys(codes), np.arange(500))
    assert len(set(found.tolist())) > 5


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_no_records_no_draws(diagnoses, strategy):
    tuples, _ = counted([(["influenza", "sprain"], diagnoses), ([1, 2], None)])
    noise = fitted(NoiseAddition(strategy=strategy), tuples)
    none = np.zeros((2, 0), dtype=np.int32)
    found = noise.masked(none, noise.keys(none), np.zeros(0, dtype=np.int64))
    assert [len(column) for column in found] == [0, 0]


def test_secrets_make_a_difference_and_are_not_shown(diagnoses):
    tuples, _ = counted([(["influenza", "sprain"] * 50, diagnoses)])
    codes = np.zeros((1, 50), dtype=np.int32)
    outcomes = set()
    for secret in (SECRET, SECRET[::-1]):
        noise = fitted(NoiseAddition(1), tuples, secret)
        outcomes.add(tuple(noise.masked(codes, noise.keys(codes), np.arange(50))[0]))
        assert repr(noise) == "TableNoise(a0)"
    assert len(outcomes) == 2


def test_help_needs_no_scipy():
    code = "import sys, ontomask.cli, ontomask.methods; print('scipy.special' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "False"
