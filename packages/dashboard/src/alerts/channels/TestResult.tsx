import { Text, Tone } from '../../ui/index.ts'

/** Shows whether the receiver of a channel accepted a test message, and what it answered. */
export const TestResult = ({ ok, message }: { ok: boolean; message: string }) => (
  <p className="al-note">
    <Tone tone={ok ? 'good' : 'no'}>{ok ? 'Test taken' : 'Test not taken'}</Tone> <Text>{message}</Text>
  </p>
)
