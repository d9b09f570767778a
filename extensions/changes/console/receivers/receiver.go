package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

func main() {
	key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("WEBHOOK_SECRET"), "whsec_"))
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(http.MaxBytesReader(w, r.Body, 2<<20))
		sent, _ := strconv.ParseFloat(r.Header.Get("webhook-timestamp"), 64)
		mac := hmac.New(sha256.New, key)
		fmt.Fprintf(mac, "%s.%s.%s", r.Header.Get("webhook-id"), r.Header.Get("webhook-timestamp"), body)
		expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
		if math.Abs(float64(time.Now().Unix())-sent) < 300 {
			for _, given := range strings.Split(r.Header.Get("webhook-signature"), " ") {
				if hmac.Equal([]byte(expected), []byte(given)) {
					fmt.Println(string(body))
					w.WriteHeader(204)
					return
				}
			}
		}
		w.WriteHeader(401)
	})
	http.ListenAndServe(":8080", nil)
}
