# Signs in with omniauth_openid_connect: prints the authorization URL, reads the URL of the redirect back, and prints its result.
require "json"
require "omniauth_openid_connect"
require "rack"

issuer, client_id, client_secret, redirect_uri = ARGV
site = URI(issuer)
# The issuer is on loopback, without TLS, so it cannot be discovered.
keys = JSON::JWK::Set.new(JSON.parse(Net::HTTP.get(URI("#{issuer}/.well-known/jwks.json")), symbolize_names: true))
options = {
  name: :gatehouse, issuer: issuer, discovery: false, client_jwk_signing_key: keys.to_json,
  scope: %i[openid profile email offline_access], callback_path: URI(redirect_uri).path,
  client_options: {
    scheme: site.scheme, host: site.host, port: site.port, identifier: client_id, secret: client_secret,
    redirect_uri: redirect_uri, authorization_endpoint: "/oauth/authorize", token_endpoint: "/oauth/token",
    userinfo_endpoint: "/oauth/userinfo"
  }
}
OmniAuth.config.logger = Logger.new(nil)
OmniAuth.config.request_validation_phase = nil
OmniAuth.config.on_failure = ->(env) { raise env["omniauth.error"] }
result = ->(env) { [200, {}, [JSON.generate(env["omniauth.auth"])]] }
application = OmniAuth::Builder.new(result) { provider :openid_connect, options }.to_app
session = {}
browser = Rack::MockRequest.new(application)
puts browser.post("/auth/gatehouse", "rack.session" => session)["Location"]
$stdout.flush

answer = URI($stdin.gets.strip)
auth = JSON.parse(browser.get(answer.request_uri, "rack.session" => session).body)
info = auth["info"]
user = { sub: auth["uid"], name: info["name"], email: info["email"] }
held = auth["credentials"]
puts JSON.generate(user: user, id_token: held["id_token"], refresh_token: held["refresh_token"])
