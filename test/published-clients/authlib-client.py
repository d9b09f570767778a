"""Signs in with Authlib: prints the authorization URL, reads the URL of the redirect back, and prints its result."""

import json
import os
import sys
import warnings

warnings.simplefilter("ignore")
# The issuer is on loopback, without TLS.
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"

import requests
from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session
from authlib.jose import JsonWebKey, JsonWebToken
from authlib.oidc.core import CodeIDToken

issuer, client_id, client_secret, redirect_uri = sys.argv[1:]
server = requests.get(f"{issuer}/.well-known/openid-configuration").json()
session = OAuth2Session(
    client_id,
    client_secret,
    scope="openid profile email offline_access",
    redirect_uri=redirect_uri,
    code_challenge_method="S256",
)
verifier, nonce = generate_token(48), generate_token()
url, state = session.create_authorization_url(server["authorization_endpoint"], code_verifier=verifier, nonce=nonce)
print(url, flush=True)

answer = sys.stdin.readline().strip()
token = session.fetch_token(
    server["token_endpoint"], authorization_response=answer, state=state, code_verifier=verifier
)
claims = JsonWebToken(server["id_token_signing_alg_values_supported"]).decode(
    token["id_token"],
    key=JsonWebKey.import_key_set(requests.get(server["jwks_uri"]).json()),
    claims_cls=CodeIDToken,
    claims_options={"iss": {"essential": True, "value": server["issuer"]}},
    claims_params={"nonce": nonce, "client_id": client_id, "access_token": token["access_token"]},
)
claims.validate(leeway=60)
refreshed = session.refresh_token(server["token_endpoint"])
user = session.get(server["userinfo_endpoint"]).json()
revoked = session.revoke_token(server["revocation_endpoint"], token=refreshed["refresh_token"])
after = session.get(server["userinfo_endpoint"]).status_code
print(
    json.dumps(
        {
            "claims": dict(claims),
            "user": user,
            "revoked": revoked.status_code,
            "after": after,
            "id_token": refreshed["id_token"],
            "refresh_token": refreshed["refresh_token"],
        }
    )
)
