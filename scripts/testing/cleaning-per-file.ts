/** Vitest runs this for each test file: it cleans up what testing helpers have made. */
import { afterAll, afterEach, beforeEach } from 'vitest'
import { atFileEnd, clean, testBegins, testEnds } from './cleaning.ts'

beforeEach(testBegins)
afterEach(testEnds)
afterAll(() => clean(atFileEnd))
