import { encode } from 'uqr'

/** A QR code. It stays dark on light in both schemes, because many apps read nothing else. */
export function QrCode({ text }: { text: string }) {
  const { data, size } = encode(text, { ecc: 'M', border: 4 })
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  return (
    <svg className="factor-qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label="QR code with the secret">
      <path d={path} shapeRendering="crispEdges" />
    </svg>
  )
}
