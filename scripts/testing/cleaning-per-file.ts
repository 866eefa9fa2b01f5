/** Vitest's set-up of each file: cleans up after testing helpers. */
import { afterAll, afterEach, beforeEach } from 'vitest'
import { atFileEnd, clean, testBegins, testEnds } from './cleaning.ts'

beforeEach(testBegins)
afterEach(testEnds)
afterAll(() => clean(atFileEnd))
