"""Signs in with requests-oauthlib: prints the authorization URL, reads the URL of the redirect back, and prints its result."""

import json
import os
import sys

# The issuer is on loopback, without TLS.
os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"

import requests
from requests_oauthlib import OAuth2Session

issuer, client_id, client_secret, redirect_uri = sys.argv[1:]
server = requests.get(f"{issuer}/.well-known/openid-configuration").json()
session = OAuth2Session(client_id, redirect_uri=redirect_uri, scope=["openid", "profile", "email", "offline_access"])
url, state = session.authorization_url(server["authorization_endpoint"])
print(url, flush=True)

answer = sys.stdin.readline().strip()
token = session.fetch_token(server["token_endpoint"], authorization_response=answer, client_secret=client_secret)
refreshed = session.refresh_token(server["token_endpoint"], client_id=client_id, client_secret=client_secret)
user = session.get(server["userinfo_endpoint"]).json()
print(json.dumps({"user": user, "id_token": refreshed["id_token"], "refresh_token": refreshed["refresh_token"]}))
