#!/bin/sh
# Verifies a webhook of svc: sh verify.sh SECRET ID TIMESTAMP SIGNATURE < BODY
# Needs openssl. The secret is among the arguments of openssl: other users of the machine can read it while that runs.
secret=$1 id=$2 timestamp=$3 signature=$4
age=$(($(date +%s) - timestamp))
if [ "$age" -gt 300 ] || [ "$age" -lt -300 ]; then
  echo forged # an old request that somebody repeats
  exit 1
fi
key=$(printf %s "${secret#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n')
expected=$({ printf '%s.%s.' "$id" "$timestamp" && cat; } |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A)
for one in $signature; do
  if [ "$one" = "v1,$expected" ]; then
    echo genuine
    exit 0
  fi
done
echo forged
exit 1
