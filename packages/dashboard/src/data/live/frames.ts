/** Gives frames to parts of the page whose data is not in the query cache. */
import type { LiveFrame } from '@svc/api'

type Listener = (frame: LiveFrame) => void
const listeners = new Set<Listener>()

/** Calls `listen` with each frame of the open workspace, until the returned function is called. */
export function listenToFrames(listen: Listener): () => void {
  listeners.add(listen)
  return () => void listeners.delete(listen)
}

/** Gives a frame to all listeners. */
export const tellFrame = (frame: LiveFrame): void => {
  for (const listen of listeners) listen(frame)
}
