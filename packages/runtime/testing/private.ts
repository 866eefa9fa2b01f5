/** Private texts in tests. If a report holds one, `close` of the tests' service rejects (service.ts). */

/** Marks in the texts that must stay on the machine: in prompts, answers, arguments, variables and so on. */
export const privateMarks = [
  ...['prompt-mark', 'answer-mark', 'argument-mark', 'title-mark', 'folder-mark', 'secret-mark', 'variable-mark'],
] as const

/** A variable that every account of the tests has. */
export const privateVariable = { SVC_TEST_PRIVATE: 'variable-mark' } as const

/** The first mark in this text; undefined if there is none. */
export const markIn = (text: string): string | undefined => privateMarks.find((mark) => text.includes(mark))
