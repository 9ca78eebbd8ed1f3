"""The table simulator and renderer, data set writers, the evaluation, and the sample clips."""
