/** Files of ignore rules, with what they leave out. The expectations are those of git 2.39. */
import { readIgnoreRules } from '../src/folder/gather.ts'

/** The paths to which the tests apply every file of rules. None of them is left out by default. */
export const ignorablePaths = [
  ...['f', 'b', 'k', '-', '0', '[', ']', '^', '!', 'fb', 'f b', 'f*', 'key.pem', 'key1.pem', 'keyA.pem', 'key_.pem'],
  ...['key-.pem', 'a/b', 'a/key.pem', 'a/b2/c', 'a/b2/key1.pem', 'x/a/b', 'foobar', 'foo/bar', 'foo/x/bar'],
  ...['foox/y/bar', 'foo/x/y', 'deep/a/b/c/d', '#note', '!note', ' lead', 'tail'],
]

const one = 'f, b, k, -, 0, [, ], ^, !'
const inOne = 'a/b, a/key.pem, a/b2/c, a/b2/key1.pem, x/a/b, foo/x/bar, foox/y/bar, foo/x/y, deep/a/b/c/d'
const inA = 'a/b, a/key.pem, a/b2/c, a/b2/key1.pem'
const anyA = `${inA}, x/a/b, deep/a/b/c/d`
const keys = 'key.pem, key1.pem, keyA.pem, key_.pem, key-.pem, a/key.pem, a/b2/key1.pem'
const key1 = 'key1.pem, a/b2/key1.pem'
const folders = 'foo/bar, foo/x/bar, foox/y/bar, foo/x/y'

export const ignoreRules: readonly (readonly [lines: string, leftOut: string])[] = [
  ['# f\n\n   \n', ''],
  ['a', anyA],
  ['/a', inA],
  ['a/', anyA],
  ['b/', 'deep/a/b/c/d'],
  ['a/**', inA],
  ['a/**/b', 'a/b'],
  ['**/b', 'b, a/b, x/a/b, deep/a/b/c/d'],
  ['**/**/b', 'b, a/b, x/a/b, deep/a/b/c/d'],
  ['*/b', 'a/b'],
  ['*/*/b', 'x/a/b, deep/a/b/c/d'],
  ['deep/**/d', 'deep/a/b/c/d'],
  ['deep/**/c/', 'deep/a/b/c/d'],
  ['foo**/bar', 'foobar, foo/bar, foo/x/bar, foox/y/bar'],
  ['foo**', `foobar, ${folders}`],
  ['fo*/bar', 'foo/bar'],
  ['foo/*/bar', 'foo/x/bar'],
  ['foo/**/bar', 'foo/bar, foo/x/bar'],
  ['foo/***/bar', 'foo/bar, foo/x/bar'],
  ['foo/**/', 'foo/x/bar, foo/x/y'],
  ['f**r', 'foobar'],
  ['f*b*', 'fb, f b, foobar'],
  ['*', ignorablePaths.join(', ')],
  ['**', ignorablePaths.join(', ')],
  ['/*/', `${inA}, x/a/b, ${folders}, deep/a/b/c/d`],
  ['*k*', 'k, key.pem, key1.pem, keyA.pem, key_.pem, key-.pem, a/key.pem, a/b2/key1.pem'],
  ['*e*y*.p*m', keys],
  ['*.pem', keys],
  ['key?.pem', 'key1.pem, keyA.pem, key_.pem, key-.pem, a/b2/key1.pem'],
  ['**/key?.pem', 'key1.pem, keyA.pem, key_.pem, key-.pem, a/b2/key1.pem'],
  ['?', `${one}, ${inOne}`],
  ['a/?2/c', 'a/b2/c'],
  ['a?b', ''],
  ['a/[!x]*', inA],
  ['a[/]b', ''],
  ['key[0-9].pem', key1],
  ['key[[:digit:]].pem', key1],
  ['key[[:alpha:]].pem', 'keyA.pem'],
  ['key[!0-9].pem', 'keyA.pem, key_.pem, key-.pem'],
  ['key[^0-9].pem', 'keyA.pem, key_.pem, key-.pem'],
  ['key[[:digit:]_-].pem', 'key1.pem, key_.pem, key-.pem, a/b2/key1.pem'],
  ['key[_[:upper:]-].pem', 'keyA.pem, key_.pem, key-.pem'],
  ['[]]', ']'],
  ['[!]]', `f, b, k, -, 0, [, ^, !, ${inOne}`],
  ['[]-]', '-, ]'],
  ['[[]', '['],
  ['[\\]]', ']'],
  ['[\\^]', '^'],
  ['[^^]', `f, b, k, -, 0, [, ], !, ${inOne}`],
  ['[!!]', `f, b, k, -, 0, [, ], ^, ${inOne}`],
  ['[a-]', `-, ${anyA}`],
  ['[0-9-]', '-, 0'],
  ['[--0]', '-, 0'],
  ['[f\\--9]', 'f, -, 0'],
  ['[[:punct:]]', '-, [, ], ^, !'],
  ['[![:alnum:]]', '-, [, ], ^, !'],
  ['[[:xdigit:]]', `f, b, 0, ${anyA}`],
  ['[[:lower:]]', `f, b, k, ${inOne}`],
  ['[[:print:]]', `${one}, ${inOne}`],
  ['[[:graph:]][[:graph:]]', 'fb, f*, a/b2/c, a/b2/key1.pem'],
  ['[[:digit]', '[, deep/a/b/c/d'],
  ['[:digit:]', 'deep/a/b/c/d'],
  ['f[[:space:]]b', 'f b'],
  ['f[[:blank:]]b', 'f b'],
  ['[[:cntrl:]]', ''],
  ['f\\*', 'f*'],
  ['f[*]', 'f*'],
  ['\\[', '['],
  ['\\#note', '#note'],
  ['\\!note', '!note'],
  ['f b  ', 'f b'],
  ['f\\ b\\ ', ''],
  [' lead', ' lead'],
  ['!note', ''],
  ['*.pem\n!key.pem', 'key1.pem, keyA.pem, key_.pem, key-.pem, a/b2/key1.pem'],
  ['!key.pem\n*.pem', keys],
  ['a/\n!a/b', anyA],
  ['a/*\n!a/key.pem', 'a/b, a/b2/c, a/b2/key1.pem'],
  ['*\n!*.pem', ignorablePaths.filter((path) => !/^key/.test(path)).join(', ')],
  ['/*\n!/a', ignorablePaths.filter((path) => !/^a\//.test(path)).join(', ')],
  ['key.pem\r\nf\r\n', 'f, key.pem, a/key.pem'],
]

/**
 * The paths that a file of rules leaves out, as a walk through the folder decides it: what is inside a folder that is
 * left out is left out, too.
 */
export function leftOutBy(lines: string, paths: readonly string[]): string[] {
  const { judge, findings } = readIgnoreRules([], lines)
  const isOut = (path: string): boolean => {
    const rule = judge(path)
    return rule !== undefined && !rule.takesBack
  }
  if (findings.length > 0) throw new Error(findings.map(({ line, message }) => `${line}: ${message}`).join('\n'))
  return paths.filter((path) => {
    const names = path.split('/')
    return names.some((_, at) => isOut(names.slice(0, at + 1).join('/') + (at + 1 < names.length ? '/' : '')))
  })
}
