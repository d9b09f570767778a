"""Signs in with python-social-auth: prints the authorization URL, reads the URL of the redirect back, and prints its result."""

import json
import sys
import warnings
from urllib.parse import parse_qsl, urlsplit

warnings.simplefilter("ignore")

from social_core.backends.open_id_connect import OpenIdConnectAuth
from social_core.strategy import BaseStrategy

issuer, client_id, client_secret, redirect_uri = sys.argv[1:]
settings = {
    "OIDC_ENDPOINT": issuer,
    "KEY": client_id,
    "SECRET": client_secret,
    "SCOPE": ["profile", "email", "offline_access"],
}


class Associations:
    """The nonces of this sign-in."""

    kept = []

    def store(self, url, association):
        association.id = association.handle
        self.kept.append(association)

    def get(self, server_url=None, handle=None):
        return [one for one in self.kept if one.handle == handle]

    def remove(self, ids):
        self.kept.clear()


class Storage:
    association = Associations()


class Strategy(BaseStrategy):
    """What a web framework does for it."""

    session = {}
    data = {}

    def get_setting(self, name):
        return settings[name.replace("SOCIAL_AUTH_OIDC_", "")]

    def request_data(self, merge=True):
        return self.data

    def session_get(self, name, default=None):
        return self.session.get(name, default)

    def session_set(self, name, value):
        self.session[name] = value

    def build_absolute_uri(self, path=None):
        return path

    def authenticate(self, backend, *args, **kwargs):
        return kwargs["response"]


class Oidc(OpenIdConnectAuth):
    name = "oidc"


strategy = Strategy(storage=Storage())
backend = Oidc(strategy, redirect_uri=redirect_uri)
print(backend.auth_url(), flush=True)

strategy.data = dict(parse_qsl(urlsplit(sys.stdin.readline().strip()).query))
backend.data = strategy.data
response = backend.auth_complete()
refreshed = backend.refresh_token(response["refresh_token"])
user = {"sub": backend.get_user_id({}, response), "name": response["name"], "email": response["email"]}
print(json.dumps({"user": user, "id_token": refreshed["id_token"], "refresh_token": refreshed["refresh_token"]}))
