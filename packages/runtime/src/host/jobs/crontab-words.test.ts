import { expect, test } from 'vitest'
import { saysNoTable } from './crontab-program.ts'

test.each([
  ['Debian and cronie', 'no crontab for ada\n'],
  ['macOS and the BSDs', 'crontab: no crontab for ada\n'],
  ['a path in front', '/usr/bin/crontab: no crontab for ada\n'],
  ['toybox', "crontab: No crontab for 'ada'\n"],
  ['busybox, as on Alpine', "crontab: can't open 'ada': No such file or directory\n"],
  ['busybox, as on OpenWrt', "crontab: can't open '/etc/crontabs/root': No such file or directory\n"],
  ['busybox without a folder', "crontab: can't change directory to '/etc/crontabs': No such file or directory\n"],
  ['Solaris and illumos', "crontab: can't open your crontab file.\n"],
  [
    'AIX',
    '0481-103 Cannot open a file in the /var/spool/cron/crontabs directory.\nA file or directory in the path name does not exist.\n',
  ],
  ['fcron', 'fcrontab: user ada has no fcrontab\n'],
  ['bcron', "crontab: Fatal: crontab for ada doesn't exist\n"],
  ['a warning before it', 'crontab: warning: x\nno crontab for ada\n'],
])('%s: the user has no table', (_program, words) => {
  expect(saysNoTable(words)).toBe(true)
})

test.each([
  ['is not allowed', 'You (ada) are not allowed to use this program (crontab)\nSee crontab(1) for more information\n'],
  ['may not read it', "crontab: can't open 'ada': Permission denied\n"],
  ['may not read the folder', 'crontabs/ada/: fopen: Permission denied\n'],
  ['is not known', "crontab: your UID isn't in the password file, bailing out\n"],
  ['gets nothing', ''],
])('a user who %s may have a table', (_who, words) => {
  expect(saysNoTable(words)).toBe(false)
})
