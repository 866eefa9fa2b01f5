/** What the service and its page say to each other. */
export type * from './answers.ts'
