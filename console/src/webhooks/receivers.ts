/** Receivers that verify a delivery, in four languages, with few dependencies. */
export const receivers: readonly { readonly language: string; readonly code: string }[] = [
  {
    language: 'Node.js',
    code: `import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks'; // npm install standardwebhooks

const webhook = new Webhook(process.env.WEBHOOK_SECRET); // whsec_…

createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  try {
    const { type, data } = webhook.verify(body, request.headers);
    console.log(type, data.id, data.after);
    response.writeHead(204).end();
  } catch {
    response.writeHead(401).end();
  }
}).listen(8080);`,
  },
  {
    language: 'Python',
    code: `import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, HTTPServer

KEY = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        sent = self.headers["webhook-timestamp"]
        signed = f"{self.headers['webhook-id']}.{sent}.".encode() + body
        expected = "v1," + base64.b64encode(hmac.new(KEY, signed, hashlib.sha256).digest()).decode()
        given = self.headers["webhook-signature"].split(" ")
        good = any(hmac.compare_digest(expected, each) for each in given) and abs(time.time() - int(sent)) < 300
        if good:
            change = json.loads(body)
            print(change["type"], change["data"].get("id"))
        self.send_response(204 if good else 401)
        self.end_headers()

HTTPServer(("", 8080), Receiver).serve_forever()`,
  },
  {
    language: 'Go',
    code: `package main

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
}`,
  },
  {
    language: 'PHP',
    code: `<?php
$key = base64_decode(substr(getenv('WEBHOOK_SECRET'), strlen('whsec_')));
$body = file_get_contents('php://input');
$id = $_SERVER['HTTP_WEBHOOK_ID'];
$sent = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'];
$expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$sent.$body", $key, true));
foreach (explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE']) as $given) {
    if (hash_equals($expected, $given) && abs(time() - (int) $sent) < 300) {
        $change = json_decode($body, true);
        error_log($change['type'] . ' ' . ($change['data']['id'] ?? ''));
        http_response_code(204);
        exit;
    }
}
http_response_code(401);`,
  },
];
