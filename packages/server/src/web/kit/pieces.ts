import { Turns } from '../../http/turns.ts'

/** So much of a file is on its way at once. */
const pieceBytes = 64 * 1024
/** Pieces of all files that go out in one turn of the event loop, besides the first of each. */
const turns = new Turns(32)

/**
 * A file as the body of an answer. Given whole it would be copied for each answer, and everybody may ask for the files of the page
 * and of `/cli/`: those who then do not read would hold a copy each. Between two pieces others have a turn, since the system takes
 * megabytes at once for a client that has just connected. The answer needs its `Content-Length` said.
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
