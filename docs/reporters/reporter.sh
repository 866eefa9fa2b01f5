#!/bin/sh
# A reporter in POSIX sh. It needs curl, awk and what every system has; no jq, no Python.
#
#     SVC_URL=https://svc.example SVC_TOKEN=svc_agt_... sh reporter.sh FOLDER
#
# It runs as a process beside the agent and shares only files in FOLDER with it: status.json (written by the agent,
# section 2.11), paused and run_now (written by either). It obeys pause, resume and run_now and refuses everything else:
# settings and logs need a language that can parse and write JSON. Its own notes are in reporter.seen (ids received and
# answered) and reporter.acks (acks to send).
set -u
: "${SVC_URL:?is not set}" "${SVC_TOKEN:?is not set}"
cd "${1:?usage: reporter.sh FOLDER}" || exit 2
umask 077
scale=${SVC_TIME_SCALE:-1} # multiplies every duration, for drills and tests
# the service accepts 60 reports a minute; 0 if it accepts more
min_wait=$(awk -v f="${SVC_TIME_FLOOR:-1}" 'BEGIN { print 1.1 * f }')
boot="$$-$(date +%s)"
seq=0
interval=30
tab=$(printf '\t')
touch reporter.seen reporter.acks

# Syncs a file to the disk, or everything if this system's sync takes no file.
durable() { sync "$1" 2>/dev/null || sync; }

# Prints a random duration in seconds, between $1 and $2, multiplied by $3 and by the scale; at least $4.
between() {
  awk -v a="$1" -v b="$2" -v of="$3" -v least="$4" -v s="$scale" -v n="$$$seq" 'BEGIN {
    srand(n); t = (a + rand() * (b - a)) * of * s; printf(s == 1 ? "%d" : "%.2f", t < least ? least : t) }'
}

# Parses JSON from standard input, and fails if it is not JSON. Prints the interval and the commands of an answer, with
# ids and types copied from the text, so that an id is echoed exactly.
json='
function fail() { bad = 1; tok = ""; exit 1 }
function take() {
  sub(/^[ \t\r\n]+/, "", s)
  if (s == "") { tok = ""; return }
  if (match(s, /^[][{},:]/) || match(s, /^"([^"\\\001-\037]|\\["\\\/bfnrtu])*"/) ||
      match(s, /^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?/) || match(s, /^(true|false|null)/)) {
    tok = substr(s, 1, RLENGTH); s = substr(s, RLENGTH + 1)
  } else fail()
}
# Skips parts that are nested deeper than anything needed here. It uses a loop, since awk cannot recurse deeply.
function skip(   open) {
  for (open = ""; ; take()) {
    if (tok ~ /^[[{]/) open = open tok
    else if (tok ~ /^[]}]/) {
      if (substr(open, length(open)) tok !~ /^(\[]|{})$/) fail()
      open = substr(open, 1, length(open) - 1)
    } else if (tok == "") fail()
    if (open == "") { take(); return }
  }
}
function value(at, depth,   key, i) {
  if (depth > 32) { skip(); return }
  if (tok == "{") {
    kind[at] = "object"; take()
    if (tok == "}") { take(); return }
    for (;;) {
      key = tok; if (key !~ /^"/) fail()
      take(); if (tok != ":") fail()
      take(); value(at SUBSEP key, depth + 1)
      if (tok == "}") { take(); return }
      if (tok != ",") fail()
      take()
    }
  }
  if (tok == "[") {
    kind[at] = "list"; take()
    if (tok == "]") { take(); return }
    for (i = 0; ; i++) {
      value(at SUBSEP i, depth + 1); count[at] = i + 1
      if (tok == "]") { take(); return }
      if (tok != ",") fail()
      take()
    }
  }
  if (tok !~ /^["0-9tfn-]/) fail()
  leaf[at] = tok; take()
}
{ s = s $0 "\n" }
END {
  if (bad) exit 1
  take(); value("", 1)
  if (tok != "" || s != "" || kind[""] != "object") exit 1
  if (what == "object") exit 0
  list = SUBSEP "\"commands\""
  if (kind[list] != "list") exit 1
  n = leaf[SUBSEP "\"interval\""]
  if (n ~ /^-?[0-9]/) { n += 0; print "interval\t" (n < 5 ? 5 : n > 300 ? 300 : n) }
  for (i = 0; i < count[list]; i++) {
    id = leaf[list SUBSEP i SUBSEP "\"id\""]; type = leaf[list SUBSEP i SUBSEP "\"type\""]
    if (type !~ /^".*"$/ || length(type) > 400) type = "\"\""
    if (id ~ /^".+"$/ && length(id) <= 12002) print "command\t" type "\t" id
  }
}'

# Prints the oldest acks, as many as fit into one report. The others go with later reports.
owed() { awk '{ n += length($0) } NR > 100 || n > 40000 { exit } { print }' reporter.acks; }

# Prints the report: what the agent says about itself, followed by our keys. If a key occurs twice, the later one
# counts.
report() {
  status='"state": {"level": "warn", "label": "No status"}'
  if [ -f status.json ] && [ "$(wc -c <status.json)" -lt 200000 ] && awk -v what=object "$json" <status.json; then
    status=$(tr '\n\r\t' '   ' <status.json | sed 's/^ *{ *//; s/ *} *$//')
  fi
  if [ -e paused ]; then
    status="${status:+$status, }\"state\": {\"level\": \"info\", \"label\": \"Paused\"}"
  elif at=$(date -r status.json +%s 2>/dev/null); then # D65: this time shows when an agent no longer writes
    status="${status:+$status, }\"status_at\": $at"
  fi
  printf '{%s"protocol": 1, "boot": "%s", "seq": %d, "controls": ["pause", "resume", "run_now"], "acks": [%s]}' \
    "${status:+$status, }" "$boot" "$seq" "$(owed | paste -sd, -)"
}

# Makes one request: at most 15 s and 64 KB, no redirect. The token goes through standard input, since others can see arguments.
post() {
  rm -f reporter.answer
  code=$(printf 'header = "Authorization: Bearer %s"\n' "$SVC_TOKEN" |
    curl -q -sS -K - --proto '=http,https' --max-redirs 0 --max-time "$(awk -v s="$scale" 'BEGIN { print 15 * s }')" \
      --max-filesize 65536 -H 'Content-Type: application/json' --data-binary @reporter.body \
      -o reporter.answer -w '%{http_code}' "${SVC_URL%/}/api/agent/v1/report") || return 1
  case $code in 2??) ;; *) echo "the service answered $code" >&2; return 1 ;; esac
  [ -f reporter.answer ] && [ "$(wc -c <reporter.answer)" -le 65536 ]
}

# Notes the ack of a command, and adds it to those for the next report. Arguments: ID OK MESSAGE
answer() {
  ack="{\"id\": $1, \"ok\": $2, \"message\": \"$3\"}"
  printf '%s\n' "$ack" >>reporter.acks
  printf 'answered\t%s\t%s\n' "$ack" "$1" >>reporter.seen
  durable reporter.seen
}

obey() { # Carries out one command. Arguments: TYPE ID, both as JSON
  known=$(ID=$2 awk -F '\t' '$3 == ENVIRON["ID"] { last = $0 } END { print last }' reporter.seen)
  case $known in
    answered*) # a command that is repeated gets the same answer and is not done again
      ack=${known#*"$tab"}
      ack=${ack%"$tab"*}
      grep -Fxq -- "$ack" reporter.acks || printf '%s\n' "$ack" >>reporter.acks
      return ;;
    received*) return ;;
  esac
  printf 'received\t%s\t%s\n' "$1" "$2" >>reporter.seen
  # the id is on disk before the command is carried out, so that a kill does not make it run a second time (D4)
  durable reporter.seen
  case $1 in
    '"pause"') : >paused && answer "$2" true paused ;;
    '"resume"') rm -f paused && answer "$2" true resumed ;;
    '"run_now"') if [ -e paused ]; then answer "$2" false 'The agent is paused.'; else : >run_now && answer "$2" true 'asked to run now'; fi ;;
    *) answer "$2" false 'This reporter knows pause, resume and run_now only.' ;;
  esac
}

# A command that was received and not answered before a kill is not done again; the answer says what is true now.
awk -F '\t' '{ if (!($3 in at)) order[++n] = $3; at[$3] = $1; type[$3] = $2 }
  END { for (i = 1; i <= n; i++) if (at[order[i]] == "received") print type[order[i]] "\t" order[i] }' reporter.seen >reporter.open
while IFS=$tab read -r type id; do
  if [ "$type" = '"pause"' ] && [ -e paused ]; then answer "$id" true 'done'
  elif [ "$type" = '"resume"' ] && [ ! -e paused ]; then answer "$id" true 'done'
  else answer "$id" false interrupted; fi
done <reporter.open

sleep "$(between 0 5 1 0)"
while :; do
  seq=$((seq + 1))
  report >reporter.body
  sent=$(owed | wc -l)
  if post && awk "$json" <reporter.answer >reporter.read; then
    # the report was answered, so the acks in it are done
    tail -n +"$((sent + 1))" reporter.acks >reporter.acks.new && mv reporter.acks.new reporter.acks
    while IFS=$tab read -r what first second; do
      case $what in
        interval) interval=$first ;;
        command) obey "$first" "$second" ;;
      esac
    done <reporter.read
  else
    echo "report $seq failed; trying again at the next interval" >&2
  fi
  sleep "$(between 0.85 1.15 "$interval" "$min_wait")"
done
