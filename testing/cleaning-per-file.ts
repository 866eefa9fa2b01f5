/** Vitest loads this module for each test file. It runs the cleanup steps that testing helpers have collected. */
import { afterAll, afterEach, beforeEach } from 'vitest'
import { atFileEnd, clean, testBegins, testEnds } from './cleaning.ts'

beforeEach(testBegins)
afterEach(testEnds)
afterAll(() => clean(atFileEnd))
