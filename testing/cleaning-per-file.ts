/**
 * Vitest loads this module for each test file. It runs the cleanup steps that testing helpers have collected, and adds
 * the causes of errors to what is reported.
 */
import { afterAll, afterEach, beforeEach } from 'vitest'
import { addCauses } from './causes.ts'
import { atFileEnd, clean, testBegins, testEnds } from './cleaning.ts'

beforeEach(testBegins)
afterEach(({ task }) => addCauses(task.result?.errors))
afterEach(testEnds)
afterAll(() => clean(atFileEnd))
