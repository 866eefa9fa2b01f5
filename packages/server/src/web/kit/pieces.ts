import { Turns } from '../../http/turns.ts'

/** The size of one piece in bytes. */
const pieceBytes = 64 * 1024
/** Sends pieces of files, at most 32 in each turn of the event loop. The first piece of each file does not count. */
const turns = new Turns(32)

/**
 * Streams a file as the body of an answer; the caller must set `Content-Length`. A whole file would be copied for each
 * answer, and clients that do not read would each hold a copy, although anybody may request the page's files and
 * `/cli/`. Other requests get a turn between two pieces, since the system accepts megabytes at once for a new
 * connection.
 */
export function inPieces(bytes: Uint8Array): ReadableStream<Uint8Array> {
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
