"""Crops to train and measure the networks on."""
