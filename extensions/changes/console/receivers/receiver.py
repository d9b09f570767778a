import base64, hashlib, hmac, json, os, time
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

HTTPServer(("", 8080), Receiver).serve_forever()
