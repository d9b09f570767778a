<?php
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
http_response_code(401);
