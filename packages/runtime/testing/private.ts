/** Private texts in tests. The test service has a fault for every report that holds one. */

/** A part of each text that stays on the machine: of a prompt, an answer, an argument, a variable and so on. */
export const privateMarks = [
  ...['prompt-mark', 'answer-mark', 'argument-mark', 'title-mark', 'folder-mark', 'secret-mark', 'variable-mark'],
] as const

/** A variable that every account of the tests has. */
export const privateVariable = { SVC_TEST_PRIVATE: 'variable-mark' } as const

/** The first mark in this text; undefined if there is none. */
export const markIn = (text: string): string | undefined => privateMarks.find((mark) => text.includes(mark))
