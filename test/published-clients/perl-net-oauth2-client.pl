# Signs in with Net::OAuth2: prints the authorization URL, reads the URL of the redirect back, and prints its result.
use strict;
use warnings;
use JSON;
use Net::OAuth2::Profile::WebServer;
use URI;

$| = 1;
my ($issuer, $client_id, $client_secret, $redirect_uri) = @ARGV;
my $client = Net::OAuth2::Profile::WebServer->new(
    client_id     => $client_id,
    client_secret => $client_secret,
    site          => $issuer,
    redirect_uri  => $redirect_uri,
    scope         => 'openid profile email offline_access',
    access_token_path  => '/oauth/token',
    refresh_token_path => '/oauth/token',
);
print $client->authorize(state => 'a state'), "\n";

chomp(my $answer = <STDIN>);
my %answer = URI->new($answer)->query_form;
my $token = $client->get_access_token($answer{code});
$token->refresh;
my $user = decode_json($token->get('/oauth/userinfo')->decoded_content);
print encode_json({ user => $user, id_token => $token->attribute('id_token'), refresh_token => $token->refresh_token }), "\n";
