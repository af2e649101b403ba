import pytest
from hypothesis import given
from hypothesis import strategies as st

from subspec.delegation.acp.environment import looks_like_a_credential, scrubbed

CREDENTIALS = """
API_KEY ANTHROPIC_API_KEY AWS_ACCESS_KEY_ID apikey GITHUB_TOKEN GH_PAT npm_config__authToken
TOKENS_OLD CLIENT_SECRET PGPASSWORD MYSQL_PWD DB_PASS SSHPASS SSH_AUTH_SOCK MY-COOKIE
GOOGLE_APPLICATION_CREDENTIALS DOCKER_AUTH_CONFIG
""".split()

OTHERS = """
HOME PATH PWD OLDPWD XAUTHORITY LANG TERM GIT_AUTHOR_NAME KEYBOARD TOKENIZERS COMPASS_HOME
""".split()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, "x") for name in CREDENTIALS),
        ("DATABASE_URL", "postgres://me:sesame@host/db"),
        ("HTTPS_PROXY", "http://:sesame@proxy:8080"),
        ("DEPLOY", "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl"),
    ],
)
def test_what_looks_like_a_credential_is_left_out(name, value):
    assert looks_like_a_credential(name, value)
    assert scrubbed({name: value, "HOME": "/home/me"}) == {"HOME": "/home/me"}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, "x") for name in OTHERS),
        ("ANTHROPIC_BASE_URL", "http://127.0.0.1:8080/a:b@c"),
        ("GREETING", "mail me@host: hello://you"),
        ("CERTIFICATE", "-----BEGIN CERTIFICATE-----"),
    ],
)
def test_what_does_not_look_like_a_credential_is_kept(name, value):
    assert scrubbed({name: value}) == {name: value}


@given(st.dictionaries(st.text(), st.text()))
def test_what_is_kept_is_kept_as_it_is(environment):
    kept = scrubbed(environment)

    assert kept.items() <= environment.items()
    assert scrubbed(kept) == kept
