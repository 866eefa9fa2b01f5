import { readJson } from '@svc/protocol'
import type { Context } from 'hono'
import type { z } from 'zod'
import { Refusal } from './refusal.ts'

/** The page never sends more than a few settings. */
const usual = 64 * 1024
/** So much of a body that is too large is read and thrown away, so that the answer arrives instead of a reset. */
const drained = 1024 * 1024

/** The JSON object of a request, read by `schema`; what is wrong is said with the name of the field. */
export async function bodyOf<T>(c: Context, schema: z.ZodType<T>, largest: number = usual): Promise<T> {
  const type = c.req.header('content-type') ?? ''
  // A form of another site cannot send this type without asking first (CSRF, beside the check of the origin).
  if (!/^application\/json\b/i.test(type)) {
    throw new Refusal('body_invalid', 'The body must be JSON, with Content-Type: application/json.')
  }
  const json = readJson(await bytesOf(c.req.raw.body, largest))
  if (!json.ok) throw new Refusal('body_invalid', json.message)
  const read = schema.safeParse(json.value)
  if (read.success) return read.data
  const [issue] = read.error.issues
  const field = issue?.path.join('.')
  throw new Refusal('body_invalid', field ? `${field}: ${issue?.message}.` : `${issue?.message ?? 'Not valid'}.`)
}

async function bytesOf(body: ReadableStream<Uint8Array> | null, largest: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of body ?? []) {
      size += chunk.length
      if (size <= largest) chunks.push(chunk)
      else if (size > drained) break
    }
  } catch {
    // Whoever sent it has gone: nobody reads the answer, and it is no fault of the service.
    throw new Refusal('body_invalid', 'The body did not arrive whole.')
  }
  if (size > largest) throw new Refusal('body_too_large')
  return Buffer.concat(chunks)
}
