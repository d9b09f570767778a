// Signs in with x/oauth2 and go-oidc: prints the authorization URL, reads the URL of the redirect back, and prints its result.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/url"
	"os"
	"strings"

	oidc "github.com/coreos/go-oidc"
	"golang.org/x/oauth2"
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	issuer, clientID, clientSecret, redirectURL := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	ctx := context.Background()
	provider, err := oidc.NewProvider(ctx, issuer)
	check(err)
	config := oauth2.Config{
		ClientID:     clientID,
		ClientSecret: clientSecret,
		Endpoint:     provider.Endpoint(),
		RedirectURL:  redirectURL,
		Scopes:       []string{oidc.ScopeOpenID, "profile", "email", oidc.ScopeOfflineAccess},
	}
	fmt.Println(config.AuthCodeURL("a state"))

	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	check(err)
	back, err := url.Parse(strings.TrimSpace(line))
	check(err)
	if back.Query().Get("state") != "a state" {
		log.Fatal("another state")
	}
	token, err := config.Exchange(ctx, back.Query().Get("code"))
	check(err)
	verifier := provider.Verifier(&oidc.Config{ClientID: clientID})
	idToken, err := verifier.Verify(ctx, token.Extra("id_token").(string))
	check(err)
	check(idToken.VerifyAccessToken(token.AccessToken))
	var claims map[string]interface{}
	check(idToken.Claims(&claims))

	refreshed, err := config.TokenSource(ctx, &oauth2.Token{RefreshToken: token.RefreshToken}).Token()
	check(err)
	_, err = verifier.Verify(ctx, refreshed.Extra("id_token").(string))
	check(err)
	info, err := provider.UserInfo(ctx, oauth2.StaticTokenSource(refreshed))
	check(err)
	var user map[string]interface{}
	check(info.Claims(&user))
	check(json.NewEncoder(os.Stdout).Encode(map[string]interface{}{
		"claims":        claims,
		"user":          user,
		"id_token":      refreshed.Extra("id_token"),
		"refresh_token": refreshed.RefreshToken,
	}))
}
