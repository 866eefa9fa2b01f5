#!/bin/sh
# A stand-in for the program `crontab` of Debian's cron, for one user. The table is the file `table` in the folder above
# it. With a file `refuses` there, every call fails and prints its text. The programs `before` and `after` there run
# before and after a table is replaced. The agent's environment has no variable of svc, so the folder is not in one.
set -eu

SVC_TEST_CRONTAB=${0%/*}/..
export SVC_TEST_CRONTAB
table=$SVC_TEST_CRONTAB/table
if [ -e "$SVC_TEST_CRONTAB/refuses" ]; then
  cat "$SVC_TEST_CRONTAB/refuses" >&2
  exit 1
fi
case ${1-} in
  -l)
    [ -e "$table" ] || {
      echo 'no crontab for ada' >&2
      exit 1
    }
    cat "$table"
    ;;
  -r) rm -f "$table" ;;
  -* | '') exit 1 ;;
  *)
    [ ! -x "$SVC_TEST_CRONTAB/before" ] || "$SVC_TEST_CRONTAB/before"
    if [ -n "$(tail -c 1 "$1")" ]; then
      echo 'new crontab file is missing newline before EOF, can'\''t install.' >&2
      exit 1
    fi
    # cron takes 999 bytes of a command, and then refuses the whole table.
    if LC_ALL=C grep -q '^.\{1100\}' "$1"; then
      echo 'errors in crontab file, can'\''t install.' >&2
      exit 1
    fi
    cat "$1" >"$table"
    [ ! -x "$SVC_TEST_CRONTAB/after" ] || "$SVC_TEST_CRONTAB/after"
    ;;
esac
