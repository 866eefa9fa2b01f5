/** Vitest's set-up of each file: puts away what testing helpers left behind. */
import { afterAll, afterEach, beforeEach } from 'vitest'
import { atFileEnd, clean, testBegins, testEnds } from './cleaning.ts'

beforeEach(testBegins)
afterEach(testEnds)
afterAll(() => clean(atFileEnd))
