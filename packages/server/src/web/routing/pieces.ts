import { Turns } from '../../platform/http/turns.ts'

/** The size of one piece in bytes. */
const pieceBytes = 64 * 1024
/**
 * Limits the pieces that all answers together send in one turn of the event loop to 32. The first piece of each answer
 * is sent without waiting.
 */
const turns = new Turns(32)

/**
 * Streams a file as the body of an answer, piece by piece; the caller must set `Content-Length`. If files were sent
 * whole, each client that does not read would make the service hold a copy, although anybody may request the page's
 * files and `/cli/`. Other requests get a turn between two pieces.
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
