import { expect, test } from 'vitest'
import { folderFor, pathAdvice } from './self.ts'

test.each([
  ['the usual folder of an account', ['/usr/bin'], false, '/home/ada/.local/bin'],
  ['the other usual folder if only that is in PATH', ['/usr/bin', '/home/ada/bin'], false, '/home/ada/bin'],
  ['the first of the two in PATH', ['/home/ada/bin', '/home/ada/.local/bin'], false, '/home/ada/.local/bin'],
  ["the machine's folder as root", ['/usr/bin'], true, '/usr/local/bin'],
])('the command is installed into %s', (_what, path, root, folder) => {
  expect(folderFor({ home: '/home/ada', path, root })).toBe(folder)
})

test.each([
  ['/bin/bash', '  export PATH=/home/ada/.local/bin:"$PATH"', '~/.bashrc'],
  ['/bin/zsh', '  export PATH=/home/ada/.local/bin:"$PATH"', '~/.zshrc'],
  ['/usr/bin/fish', '  fish_add_path /home/ada/.local/bin', undefined],
  ['', '  export PATH=/home/ada/.local/bin:"$PATH"', '~/.profile'],
])('a folder that is not in PATH gets advice for the shell %s', (shell, line, file) => {
  const advice = pathAdvice('/home/ada/.local/bin', shell)
  expect(advice).toContain(line)
  if (file !== undefined) expect(advice.at(-1)).toContain(file)
})
