import { expect, test } from 'vitest'
import { KeptOutput } from './kept-output.ts'

test('output is kept until its release, and is printed as it arrives from then on', () => {
  const printed: string[] = []
  const output = new KeptOutput((text) => printed.push(text))
  output.write('one\n')
  output.write('two\n')
  expect(printed).toEqual([])
  output.release()
  expect(printed).toEqual(['one\ntwo\n'])
  output.write('three\n')
  output.release()
  expect(printed).toEqual(['one\ntwo\n', 'three\n'])
})

test('nothing is printed at the release of empty output', () => {
  const printed: string[] = []
  new KeptOutput((text) => printed.push(text)).release()
  expect(printed).toEqual([])
})
