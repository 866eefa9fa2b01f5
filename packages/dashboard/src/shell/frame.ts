import { useEffect } from 'react'

/**
 * Remembers in this browser which frame the page last had. The script public/first-paint.js shows it at the next visit
 * of the home page, before the service has said who is signed in.
 */
export function useFrame(frame: 'door' | 'workspace'): void {
  useEffect(() => {
    try {
      localStorage.setItem('svc-frame', frame)
    } catch {
      // If the browser forbids storage, the home page begins with the frame of the door.
    }
  }, [frame])
}
