/** Vitest's set-up of each file: puts away what testing helpers left behind. */
import { afterAll, afterEach } from 'vitest'
import { atFileEnd, atTestEnd, clean } from './cleaning.ts'

afterEach(() => clean(atTestEnd))
afterAll(() => clean(atFileEnd))
