/**
 * Examples of secrets files as people write them. A command must read each one whole, or refuse it with the line and
 * the reason. `MAIL_PASSWORD` is a required secret of the blueprint of the tests, `EXTRA_KEY` an optional one.
 */

export interface HandedFile {
  readonly name: string
  readonly bytes: Buffer
  /** The variables of a file that is read; absent for a file that is refused. */
  readonly reads?: Readonly<Record<string, string>>
  /** Parts of what the command says. */
  readonly says: readonly string[]
}

export const password = 'correct horse battery'
const good = `MAIL_PASSWORD=${password}\n`
const both = { MAIL_PASSWORD: password, EXTRA_KEY: 'k1' }
const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le')

const read = (
  name: string,
  text: string | Buffer,
  reads: HandedFile['reads'] = both,
  ...says: string[]
): HandedFile => ({
  name,
  bytes: Buffer.from(text),
  ...(reads && { reads }),
  says,
})
const refusedFile = (name: string, text: string | Buffer, ...says: string[]): HandedFile => ({
  name,
  bytes: Buffer.from(text),
  says,
})
/** A file whose second line is not understood. */
const line2 = (name: string, line: string, why: string): HandedFile =>
  refusedFile(name, `${good}${line}\n`, `Line 2 ${why}`)

const quoted = 'is in quotes; it is used exactly as written'
const notName = 'has a name with other characters'
export const secretsFiles: readonly HandedFile[] = [
  read('plain lines', `${good}EXTRA_KEY=k1\n`),
  read('no line feed at the end', `${good}EXTRA_KEY=k1`),
  read('CRLF', `MAIL_PASSWORD=${password}\r\nEXTRA_KEY=k1\r\n`),
  read('a byte order mark', `\ufeff${good}EXTRA_KEY=k1\n`),
  read('a byte order mark and CRLF', `\ufeffMAIL_PASSWORD=${password}\r\nEXTRA_KEY=k1\r\n`),
  read('comments and empty lines', `# mail\n\n${good}  \n \t# more\nEXTRA_KEY=k1\n`),
  read('only one of two', good, { MAIL_PASSWORD: password }, 'Optional secrets that were not given: EXTRA_KEY.'),
  read(
    'an empty optional secret',
    `${good}EXTRA_KEY=\n`,
    { MAIL_PASSWORD: password, EXTRA_KEY: '' },
    'EXTRA_KEY: empty in the file.',
    'not given: EXTRA_KEY',
  ),
  read('a value with = and #', 'MAIL_PASSWORD=a=b#c\n', { MAIL_PASSWORD: 'a=b#c' }),
  read('letters of other scripts', 'MAIL_PASSWORD=größe€😀\n', { MAIL_PASSWORD: 'größe€😀' }),
  read('quotes', 'MAIL_PASSWORD="a b"\n', { MAIL_PASSWORD: '"a b"' }, `line 1: the value of MAIL_PASSWORD ${quoted}`),
  read('single quotes', "MAIL_PASSWORD='a b'\n", { MAIL_PASSWORD: "'a b'" }, quoted),
  read('a space after =', 'MAIL_PASSWORD= ab\n', { MAIL_PASSWORD: ' ab' }, 'begins or ends with a space'),
  read('a space at the end', 'MAIL_PASSWORD=ab \n', { MAIL_PASSWORD: 'ab ' }, 'begins or ends with a space'),
  read('a comment after the value', 'MAIL_PASSWORD=ab # x\n', { MAIL_PASSWORD: 'ab # x' }, 'contains " #"'),
  read('an invisible character in the value', 'MAIL_PASSWORD=ab\u200b\n', { MAIL_PASSWORD: 'ab\u200b' }, 'U+200B'),
  read(
    'a misspelt name',
    `${good}EXTRA_KAY=k1\n`,
    { MAIL_PASSWORD: password, EXTRA_KAY: 'k1' },
    'EXTRA_KAY in the secrets file is not used. The secrets of this blueprint are MAIL_PASSWORD, EXTRA_KEY.',
    'not given: EXTRA_KEY',
  ),
  read(
    'the name of another program',
    `${good}PATH=/tmp\n`,
    { MAIL_PASSWORD: password, PATH: '/tmp' },
    'PATH in the secrets file is not used',
  ),
  refusedFile('UTF-16', utf16(good), 'is UTF-16; save it as UTF-8'),
  refusedFile('UTF-16, big endian', utf16(good).swap16(), 'is UTF-16; save it as UTF-8'),
  refusedFile('UTF-16 without a mark', Buffer.from(good, 'utf16le'), 'is UTF-16; save it as UTF-8'),
  refusedFile(
    'Latin-1',
    Buffer.from(`${good}EXTRA_KEY=gr\u00fc\u00dfe\n`, 'latin1'),
    'byte 0xFC at line 2, column 13',
    'save it as UTF-8',
  ),
  refusedFile(
    'half a character at the end',
    Buffer.concat([Buffer.from(good), Buffer.from([0x41, 0xe2])]),
    'ends in the middle of a character',
  ),
  refusedFile('a NUL in a value', `${good}EXTRA_KEY=a\0b\n`, 'has a NUL character at line 2, column 12'),
  refusedFile('zeros after a crash', Buffer.alloc(600), 'has a NUL character at line 1, column 1'),
  refusedFile('larger than 1 MB', `${good}# ${'x'.repeat(1024 * 1024)}\n`, 'is larger than 1 MB'),
  refusedFile(
    'a value larger than a program can get',
    `MAIL_PASSWORD=${'x'.repeat(200_000)}\n`,
    'The value of MAIL_PASSWORD must be at most 120 KB',
  ),
  refusedFile(
    'a name twice',
    `${good}EXTRA_KEY=k1\nMAIL_PASSWORD=other\n`,
    'Line 3 names MAIL_PASSWORD again, after line 1',
  ),
  refusedFile('the same line twice', `${good}${good}`, 'Line 2 names MAIL_PASSWORD again, after line 1'),
  refusedFile('an empty file', '', 'No value was given for MAIL_PASSWORD.'),
  refusedFile('only a comment', `# ${good}`, 'No value was given for MAIL_PASSWORD.'),
  refusedFile('an empty required secret', 'MAIL_PASSWORD=\n', 'No value was given for MAIL_PASSWORD.'),
  line2('export', 'export EXTRA_KEY=k1', 'begins with "export"'),
  line2('set of Windows', 'set EXTRA_KEY=k1', 'begins with the command of a shell'),
  line2('PowerShell', '$env:EXTRA_KEY="k1"', 'begins with the command of a shell'),
  line2('spaces around =', 'EXTRA_KEY = k1', 'has a space before the "="'),
  line2('a tab before =', 'EXTRA_KEY\t=k1', 'has a space before the "="'),
  line2('an indented line', '  EXTRA_KEY=k1', 'begins with a space'),
  line2('a colon as in YAML', 'EXTRA_KEY: k1', 'has a colon after the name'),
  line2('a colon without a space', 'EXTRA_KEY:k1', 'has no "="'),
  line2('a name without a value', 'EXTRA_KEY', 'has no "="'),
  line2('a value without a name', '=k1', 'has no name before the "="'),
  line2('a name in lower case', 'extra_key=k1', notName),
  line2('a name with a hyphen', 'EXTRA-KEY=k1', notName),
  line2('a name that begins with a digit', '1EXTRA=k1', notName),
  line2('a quoted name', '"EXTRA_KEY"=k1', 'begins with a quote'),
  line2('a semicolon as a comment', '; EXTRA_KEY', 'has no "="'),
  line2('a section of an INI file', '[secrets]', 'has no "="'),
  line2('a zero width space before the name', '\u200bEXTRA_KEY=k1', 'has an invisible character, U+200B'),
  line2('a no-break space before =', 'EXTRA_KEY\u00a0=k1', 'has an invisible character, U+00A0'),
  line2('a second byte order mark', '\ufeffEXTRA_KEY=k1', 'has an invisible character, U+FEFF'),
  line2('a line separator in a value', 'EXTRA_KEY=a\u2028b', 'has an invisible character, U+2028'),
  line2('letters of full width', '\uff25XTRA=k1', 'is not NAME=value'),
  refusedFile(
    'line ends of an old Mac',
    `MAIL_PASSWORD=${password}\rEXTRA_KEY=k1\r`,
    'Line 1 has a carriage return inside',
  ),
  refusedFile(
    'a private key',
    `${good}EXTRA_KEY=-----BEGIN PRIVATE KEY-----\nMIIEvQ\n-----END PRIVATE KEY-----\n`,
    'Line 3 has no "="',
    'Line 4 is a line of a key',
  ),
  refusedFile(
    'a quoted value of several lines',
    `${good}EXTRA_KEY="one\ntwo"\n`,
    'Line 3 has no "="; a value must be one line',
  ),
  refusedFile('a line continued with a backslash', `${good}EXTRA_KEY=one\\\n  two\n`, 'Line 3 begins with a space'),
  refusedFile('JSON', `{"MAIL_PASSWORD": "${password}"}\n`, 'Line 1 looks like JSON'),
  refusedFile('YAML', `MAIL_PASSWORD: ${password}\n`, 'Line 1 has a colon after the name'),
  refusedFile('the password alone', `${password}\n`, 'Line 1 has no "="'),
  refusedFile(
    'more wrong lines than are named',
    `${good}${'x\n'.repeat(12)}`,
    'Line 2 has no "="',
    '2 more lines are not understood.',
  ),
  refusedFile(
    'a zip archive',
    Buffer.from('PK\u0003\u0004\u0014\0\0\0\b\0', 'latin1'),
    'has a NUL character at line 1',
  ),
]
