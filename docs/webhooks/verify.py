"""Verifies a webhook of svc: python3 verify.py SECRET ID TIMESTAMP SIGNATURE < BODY"""
import base64
import hashlib
import hmac
import sys
import time


def is_genuine(secret, id, timestamp, signature, body, now=None):
    if abs((time.time() if now is None else now) - int(timestamp)) > 300:
        return False  # an old request that somebody repeats
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{id}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return any(hmac.compare_digest(one, expected) for one in signature.split(" "))


if __name__ == "__main__":
    genuine = is_genuine(*sys.argv[1:5], sys.stdin.buffer.read())
    print("genuine" if genuine else "forged")
    sys.exit(0 if genuine else 1)
