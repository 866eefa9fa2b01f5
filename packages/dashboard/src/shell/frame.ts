import { useEffect } from 'react'

/**
 * Remembers in this browser which frame the page last had. At the next visit of the home page or My account, the script
 * public/first-paint.js shows this frame before the service has said who is signed in.
 */
export function useFrame(frame: 'door' | 'workspace'): void {
  useEffect(() => {
    try {
      localStorage.setItem('svc-frame', frame)
    } catch {
      // If the browser forbids storage, these pages begin with the frame of the door.
    }
  }, [frame])
}
