import { expect, test } from 'vitest'
import { jobNameOf } from './plan.ts'

test.each([
  ['/usr/local/bin/backup.sh', 'backup'],
  ['cd /srv && ./backup.sh > /dev/null', 'backup'],
  ["cd '/srv/my data'; ./backup.sh", 'backup'],
  ['cd /srv', 'cd'],
  ['LANG=C PATH=/bin:/usr/bin nice -n 10 ionice -c2 -n7 restic backup /home', 'restic'],
  ['env FOO=bar /usr/bin/python3 -u /opt/report/daily.py --all', 'daily'],
  ['timeout 10m rsync -a /a /b', 'rsync'],
  ['timeout 1.5h ./x.y.sh', 'x.y'],
  ['flock -n /run/x.lock /opt/backup.sh', 'backup'],
  ['/usr/bin/flock -w 10 /run/x.lock nice -n 5 backup.sh', 'backup'],
  ["flock --timeout 10 /run/x.lock -c '/opt/backup.sh --all'", 'backup'],
  ['flock -n 9 || exit 1; backup.sh', 'exit'],
  ['sudo -u bob /opt/backup.sh', 'backup'],
  ['sudo -nu bob -g staff FOO=1 backup.sh', 'backup'],
  ['sudo --user bob backup.sh', 'backup'],
  ['sudo --user=bob backup.sh', 'backup'],
  ['timeout -s KILL 10m backup.sh', 'backup'],
  ['timeout "$LIMIT" backup.sh', 'backup'],
  ['env -u LANG -C /srv ./backup.sh', 'backup'],
  ['ionice -c idle backup.sh', 'backup'],
  ['bash -euo pipefail /opt/backup.sh', 'backup'],
  ['node --import tsx backup.ts', 'backup'],
  ['time -o /tmp/t -f %e backup.sh', 'backup'],
  ['sudo', 'job'],
  ["/bin/bash -lc 'cd /srv/app && bin/rake jobs:clean'", 'rake'],
  ['sh -c "exec /opt/Nightly_Report.PL"', 'nightly_report'],
  ['"/opt/my tools/Make Backup.sh" --fast', 'make-backup'],
  ['[ -x /usr/bin/certbot ] && certbot renew', 'certbot'],
  ['(umask 077; pg_dump db > /backup/db.sql)', 'umask'],
  ['> /tmp/log 2>&1 /opt/job', 'job'],
  ['2>/dev/null $HOME/bin/sync-mail', 'sync-mail'],
  ['@daily', 'daily'],
  ['/opt/größe.sh', 'gr--e'],
  ['~/.local/bin/.hidden.sh', 'hidden'],
  ['/opt/.profile', 'profile'],
  ['/opt/unrecorded', 'unrecorded-2'],
  ['node', 'job'],
  ['', 'job'],
  ['%input', 'input'],
  ['FOO=1', 'job'],
  ['"unclosed quote', 'unclosed'],
  ['!!! ... ;;;', 'job'],
  [`/opt/${'x'.repeat(80)}.sh`, 'x'.repeat(63)],
])('%j becomes the job %s', (command, name) => {
  expect(jobNameOf(command, new Set())).toBe(name)
})

test('a name that is taken gets a number, and stays within 63 characters', () => {
  expect(jobNameOf('backup.sh', new Set(['backup']))).toBe('backup-2')
  expect(jobNameOf('backup.sh', new Set(['backup', 'backup-2']))).toBe('backup-3')
  const long = 'x'.repeat(63)
  expect(jobNameOf(long, new Set([long]))).toBe(`${'x'.repeat(61)}-2`)
})
