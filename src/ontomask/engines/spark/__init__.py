"""Spark frames: counted, masked and verified by Spark, on one machine or on many.

Only the distinct combinations of quasi-identifier values come to the driver. Plans go back as small
frames that Spark joins with the records; what comes out is a frame as lazy as the one that went in.
"""
