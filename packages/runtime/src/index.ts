/** The parts of the runtime that tests and the demo may import; nobody else imports it. */
