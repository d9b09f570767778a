# Signs in with the gem oauth2: prints the authorization URL, reads the URL of the redirect back, and prints its result.
require "json"
require "oauth2"

issuer, client_id, client_secret, redirect_uri = ARGV
client = OAuth2::Client.new(client_id, client_secret, site: issuer)
puts client.auth_code.authorize_url(
  redirect_uri: redirect_uri, scope: "openid profile email offline_access", state: "a state"
)
$stdout.flush

answer = URI.decode_www_form(URI($stdin.gets.strip).query).to_h
token = client.auth_code.get_token(answer["code"], redirect_uri: redirect_uri)
refreshed = token.refresh!
user = refreshed.get("/oauth/userinfo").parsed
puts JSON.generate(user: user, id_token: refreshed.params["id_token"], refresh_token: refreshed.refresh_token)
