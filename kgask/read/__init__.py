"""Evidence -> judged lines, answer, verdict: readers and the checks on what they say."""
