import { Turns } from '../../platform/http/turns.ts'

/** The size of one piece in bytes. */
const pieceBytes = 64 * 1024
/** All answers together send at most 32 pieces in one turn of the event loop, not counting their first pieces. */
const turns = new Turns(32)

/**
 * Streams a file as the body of an answer, piece by piece; the caller must set `Content-Length`. So a client that does
 * not read its answer takes little memory, and other requests get a turn between two pieces.
 */
export function streamOfPieces(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0
  return new ReadableStream(
    {
      async pull(controller) {
        if (at > 0) await turns.next()
        controller.enqueue(bytes.subarray(at, at + pieceBytes))
        at += pieceBytes
        if (at >= bytes.length) controller.close()
      },
    },
    { highWaterMark: 0 },
  )
}
